// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/ort_api.h"

#include <fmt/format.h>

#include <charconv>

#include "common/vendor_library.h"

namespace dycl::onnxruntime {
namespace {

// The API version in which the newest slot above (390) appeared.
constexpr std::uint32_t needed_api = 24;

struct OrtApiBase {
  const void* const* (*GetApi)(std::uint32_t version);
  const char* (*GetVersionString)();
};

// "1.31.1" → 31: the API version is the minor version. Asking GetApi for one that is too new would
// print to stderr.
std::uint32_t api_version_of(std::string_view version) {
  std::uint32_t minor = 0;
  const std::size_t dot = version.find('.');
  if (version.substr(0, dot) != "1" || dot == std::string_view::npos) return 0;
  std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

template <class... Slots>
void bind_all(const void* const* table, Slots&... slots) {
  (slots.bind(table), ...);
}

void bind_session_functions(OrtApi& api, const void* const* table) {
  bind_all(table, api.CreateSessionOptions, api.ReleaseSessionOptions, api.DisablePerSessionThreads,
           api.SetSessionLogSeverityLevel, api.SetSessionGraphOptimizationLevel, api.AddSessionConfigEntry,
           api.AddInitializer, api.AddExternalInitializers, api.CreateSessionFromArray, api.ReleaseSession,
           api.SessionGetInputCount, api.SessionGetOutputCount, api.SessionGetInputTypeInfo,
           api.SessionGetOutputTypeInfo, api.SessionGetInputName, api.SessionGetOutputName, api.Run);
}

void bind_value_functions(OrtApi& api, const void* const* table) {
  bind_all(table, api.CastTypeInfoToTensorInfo, api.ReleaseTypeInfo, api.GetTensorElementType,
           api.GetDimensionsCount, api.GetDimensions, api.GetSymbolicDimensions,
           api.TensorTypeAndShape_HasShape, api.GetTensorTypeAndShape, api.ReleaseTensorTypeAndShapeInfo,
           api.CreateTensorAsOrtValue, api.CreateTensorWithDataAsOrtValue, api.IsTensor,
           api.GetTensorMutableData, api.FillStringTensor, api.GetStringTensorDataLength,
           api.GetStringTensorContent, api.ReleaseValue, api.ReleaseOwner);
}

OrtApi bind(const void* const* table) {
  OrtApi api;
  bind_all(table, api.GetErrorCode, api.GetErrorMessage, api.ReleaseStatus, api.CreateThreadingOptions,
           api.ReleaseThreadingOptions, api.SetGlobalIntraOpNumThreads, api.SetGlobalInterOpNumThreads,
           api.SetGlobalSpinControl, api.CreateEnvWithGlobalThreadPools, api.ReleaseEnv,
           api.CreateCpuMemoryInfo, api.ReleaseMemoryInfo, api.CreateAndRegisterAllocator,
           api.GetAllocatorWithDefaultOptions, api.AllocatorFree);
  bind_session_functions(api, table);
  bind_value_functions(api, table);
  return api;
}

}  // namespace

Result<OrtLibrary> open_library(const std::string& path) {
  auto library = plugin::VendorLibrary::open(path);
  if (!library) return failure_of(std::move(library));
  auto entry = library->function<const OrtApiBase* (*)()>("OrtGetApiBase");
  if (!entry) return failure_of(std::move(entry));
  const OrtApiBase* base = (*entry)();
  const std::string version = base->GetVersionString();
  const void* const* table = api_version_of(version) >= needed_api ? base->GetApi(needed_api) : nullptr;
  if (table == nullptr)
    return fail(
        Blame::Backend, "backend.library_too_old",
        fmt::format("ONNX Runtime {} at '{}' is too old, 1.{} or newer is needed", version, path, needed_api),
        {}, "pip install --upgrade onnxruntime");
  return OrtLibrary{bind(table), version};
}

Status to_status(const OrtApi& api, OrtStatus* status) {
  if (status == nullptr) return {};
  const Owned<OrtStatus> owned(status, api.ReleaseStatus.function);
  return fail(Blame::Backend, "onnxruntime.error", api.GetErrorMessage(status));
}

}  // namespace dycl::onnxruntime
