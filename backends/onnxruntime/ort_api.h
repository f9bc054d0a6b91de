// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's C interface as far as we use it. The wheel has the library but no header; the order
// of its function table is public and append-only, so a function is named by its place in the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace dycl::onnxruntime {

// The element type of strings.
inline constexpr int string_type = 8;

struct OrtEnv;
struct OrtStatus;
struct OrtSession;
struct OrtSessionOptions;
struct OrtThreadingOptions;
struct OrtArenaCfg;
struct OrtMemoryInfo;
struct OrtValue;
struct OrtTypeInfo;
struct OrtTensorInfo;
struct OrtAllocator;
struct OrtRunOptions;

// One function of the table, called like a function.
template <std::size_t slot, class Signature>
struct Slot;
template <std::size_t slot, class Return, class... Parameters>
struct Slot<slot, Return(Parameters...)> {
  using Function = Return (*)(Parameters...);
  Function function = nullptr;
  void bind(const void* const* table) {
    // The table holds functions; only its declaration here is untyped.
    function = reinterpret_cast<Function>(const_cast<void*>(table[slot]));
  }
  Return operator()(Parameters... parameters) const { return function(parameters...); }
};

struct OrtApi {
  Slot<1, int(const OrtStatus*)> GetErrorCode;
  Slot<2, const char*(const OrtStatus*)> GetErrorMessage;
  Slot<93, void(OrtStatus*)> ReleaseStatus;

  Slot<121, OrtStatus*(OrtThreadingOptions**)> CreateThreadingOptions;
  Slot<122, void(OrtThreadingOptions*)> ReleaseThreadingOptions;
  Slot<147, OrtStatus*(OrtThreadingOptions*, int)> SetGlobalIntraOpNumThreads;
  Slot<148, OrtStatus*(OrtThreadingOptions*, int)> SetGlobalInterOpNumThreads;
  Slot<149, OrtStatus*(OrtThreadingOptions*, int)> SetGlobalSpinControl;
  Slot<119, OrtStatus*(int, const char*, const OrtThreadingOptions*, OrtEnv**)>
      CreateEnvWithGlobalThreadPools;
  Slot<92, void(OrtEnv*)> ReleaseEnv;
  Slot<69, OrtStatus*(int, int, OrtMemoryInfo**)> CreateCpuMemoryInfo;
  Slot<94, void(OrtMemoryInfo*)> ReleaseMemoryInfo;
  Slot<144, OrtStatus*(OrtEnv*, const OrtMemoryInfo*, const OrtArenaCfg*)> CreateAndRegisterAllocator;

  Slot<10, OrtStatus*(OrtSessionOptions**)> CreateSessionOptions;
  Slot<100, void(OrtSessionOptions*)> ReleaseSessionOptions;
  Slot<120, OrtStatus*(OrtSessionOptions*)> DisablePerSessionThreads;
  Slot<22, OrtStatus*(OrtSessionOptions*, int)> SetSessionLogSeverityLevel;
  Slot<23, OrtStatus*(OrtSessionOptions*, int)> SetSessionGraphOptimizationLevel;
  Slot<130, OrtStatus*(OrtSessionOptions*, const char*, const char*)> AddSessionConfigEntry;
  Slot<150, OrtStatus*(OrtSessionOptions*, const char*, const OrtValue*)> AddInitializer;
  Slot<210, OrtStatus*(OrtSessionOptions*, const char* const*, const OrtValue* const*, std::size_t)>
      AddExternalInitializers;
  Slot<8, OrtStatus*(const OrtEnv*, const void*, std::size_t, const OrtSessionOptions*, OrtSession**)>
      CreateSessionFromArray;
  Slot<95, void(OrtSession*)> ReleaseSession;

  Slot<30, OrtStatus*(const OrtSession*, std::size_t*)> SessionGetInputCount;
  Slot<31, OrtStatus*(const OrtSession*, std::size_t*)> SessionGetOutputCount;
  Slot<33, OrtStatus*(const OrtSession*, std::size_t, OrtTypeInfo**)> SessionGetInputTypeInfo;
  Slot<34, OrtStatus*(const OrtSession*, std::size_t, OrtTypeInfo**)> SessionGetOutputTypeInfo;
  Slot<36, OrtStatus*(const OrtSession*, std::size_t, OrtAllocator*, char**)> SessionGetInputName;
  Slot<37, OrtStatus*(const OrtSession*, std::size_t, OrtAllocator*, char**)> SessionGetOutputName;
  Slot<78, OrtStatus*(OrtAllocator**)> GetAllocatorWithDefaultOptions;
  Slot<76, OrtStatus*(OrtAllocator*, void*)> AllocatorFree;

  Slot<55, OrtStatus*(const OrtTypeInfo*, const OrtTensorInfo**)> CastTypeInfoToTensorInfo;
  Slot<98, void(OrtTypeInfo*)> ReleaseTypeInfo;
  Slot<60, OrtStatus*(const OrtTensorInfo*, int*)> GetTensorElementType;
  Slot<61, OrtStatus*(const OrtTensorInfo*, std::size_t*)> GetDimensionsCount;
  Slot<62, OrtStatus*(const OrtTensorInfo*, std::int64_t*, std::size_t)> GetDimensions;
  Slot<63, OrtStatus*(const OrtTensorInfo*, const char**, std::size_t)> GetSymbolicDimensions;
  Slot<390, bool(const OrtTensorInfo*)> TensorTypeAndShape_HasShape;
  Slot<65, OrtStatus*(const OrtValue*, OrtTensorInfo**)> GetTensorTypeAndShape;
  Slot<99, void(OrtTensorInfo*)> ReleaseTensorTypeAndShapeInfo;

  Slot<48, OrtStatus*(OrtAllocator*, const std::int64_t*, std::size_t, int, OrtValue**)>
      CreateTensorAsOrtValue;
  Slot<49, OrtStatus*(const OrtMemoryInfo*, void*, std::size_t, const std::int64_t*, std::size_t, int,
                      OrtValue**)>
      CreateTensorWithDataAsOrtValue;
  Slot<50, OrtStatus*(const OrtValue*, int*)> IsTensor;
  Slot<51, OrtStatus*(OrtValue*, void**)> GetTensorMutableData;
  Slot<52, OrtStatus*(OrtValue*, const char* const*, std::size_t)> FillStringTensor;
  Slot<53, OrtStatus*(const OrtValue*, std::size_t*)> GetStringTensorDataLength;
  Slot<54, OrtStatus*(const OrtValue*, void*, std::size_t, std::size_t*, std::size_t)> GetStringTensorContent;
  Slot<96, void(OrtValue*)> ReleaseValue;
  Slot<96, void(void*)> ReleaseOwner;  // the same, as DyclOutput::release wants it
  Slot<9, OrtStatus*(OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*,
                     std::size_t, const char* const*, std::size_t, OrtValue**)>
      Run;
};

// Opens the library's table and version. Fails if the library is older than the newest function above.
struct OrtLibrary {
  OrtApi api;
  std::string version;
};
Result<OrtLibrary> open_library(const std::string& path);

// Takes over a status of ONNX Runtime; the text of an error is ONNX Runtime's own.
Status to_status(const OrtApi& api, OrtStatus* status);

template <class Handle>
using Owned = std::unique_ptr<Handle, void (*)(Handle*)>;

}  // namespace dycl::onnxruntime
