// SPDX-License-Identifier: Apache-2.0
// Tensors over foreign memory, and the types of a session's ports.
#include <algorithm>
#include <array>
#include <functional>

#include "common/strings.h"
#include "common/tensors.h"
#include "onnxruntime/session.h"

namespace dycl::onnxruntime {
namespace {

struct TypePair {
  std::int32_t onnx;
  std::int32_t ort;
};
// All other numbers are equal.
constexpr std::array renumbered{TypePair{24, 26}, TypePair{25, 24}, TypePair{26, 25}};  // f8e8m0, u2, i2

Result<Owned<OrtValue>> make_strings(const OrtApi& api, const DyclTensor& tensor) {
  std::vector<std::string_view> views;
  if (Status read = plugin::read_strings(tensor, views); !read) return failure_of(std::move(read));
  const std::vector<std::string> texts(views.begin(), views.end());  // terminated, as the call wants them
  std::vector<const char*> pointers;
  for (const std::string& text : texts) {
    if (text.find('\0') != std::string::npos)
      return fail(Blame::Usage, "onnxruntime.string", "onnxruntime takes no string with a zero byte");
    pointers.push_back(text.c_str());
  }
  OrtAllocator* allocator = nullptr;
  OrtValue* raw = nullptr;
  Status made = to_status(api, api.GetAllocatorWithDefaultOptions(&allocator));
  if (made)
    made =
        to_status(api, api.CreateTensorAsOrtValue(allocator, tensor.dims,
                                                  static_cast<std::size_t>(tensor.rank), string_type, &raw));
  Owned<OrtValue> value(raw, api.ReleaseValue.function);
  if (made) made = to_status(api, api.FillStringTensor(raw, pointers.data(), pointers.size()));
  if (!made) return failure_of(std::move(made));
  return value;
}

Status read_tensor_type(const OrtApi& api, const OrtTensorInfo* info, PortType& type) {
  std::size_t rank = 0;
  Status done = to_status(api, api.GetTensorElementType(info, &type.dtype));
  type.dtype = from_ort_type(type.dtype);
  type.ranked = api.TensorTypeAndShape_HasShape(info);
  if (done) done = to_status(api, api.GetDimensionsCount(info, &rank));
  if (!done || !type.ranked || rank == 0) return done;
  type.dims.resize(rank);
  std::vector<const char*> names(rank, nullptr);
  done = to_status(api, api.GetDimensions(info, type.dims.data(), rank));
  if (done) done = to_status(api, api.GetSymbolicDimensions(info, names.data(), rank));
  for (const char* name : names) type.symbols.emplace_back(name == nullptr ? "" : name);
  return done;
}

using TypeGetter = std::function<OrtStatus*(std::size_t, OrtTypeInfo**)>;
using NameGetter = std::function<OrtStatus*(std::size_t, OrtAllocator*, char**)>;

Result<std::vector<PortType>> read_types(const OrtApi& api, std::size_t count, const TypeGetter& get) {
  std::vector<PortType> types(count);
  for (std::size_t index = 0; index < count; ++index) {
    OrtTypeInfo* raw = nullptr;
    const OrtTensorInfo* tensor = nullptr;
    Status done = to_status(api, get(index, &raw));
    const Owned<OrtTypeInfo> info(raw, api.ReleaseTypeInfo.function);
    if (done) done = to_status(api, api.CastTypeInfoToTensorInfo(raw, &tensor));
    if (done && tensor != nullptr) done = read_tensor_type(api, tensor, types[index]);
    if (!done) return failure_of(std::move(done));
  }
  return types;
}

Result<std::vector<std::string>> read_names(const OrtApi& api, std::size_t count, const NameGetter& get) {
  std::vector<std::string> names;
  OrtAllocator* allocator = nullptr;
  Status done = to_status(api, api.GetAllocatorWithDefaultOptions(&allocator));
  for (std::size_t index = 0; index < count && done; ++index) {
    char* name = nullptr;
    done = to_status(api, get(index, allocator, &name));
    if (!done) break;
    names.emplace_back(name);
    done = to_status(api, api.AllocatorFree(allocator, name));
  }
  if (!done) return failure_of(std::move(done));
  return names;
}

Result<std::size_t> input_count(const OrtApi& api, const OrtSession* session) {
  std::size_t count = 0;
  if (Status done = to_status(api, api.SessionGetInputCount(session, &count)); !done)
    return failure_of(std::move(done));
  return count;
}

Result<std::size_t> output_count(const OrtApi& api, const OrtSession* session) {
  std::size_t count = 0;
  if (Status done = to_status(api, api.SessionGetOutputCount(session, &count)); !done)
    return failure_of(std::move(done));
  return count;
}

}  // namespace

std::int32_t to_ort_type(std::int32_t onnx_dtype) {
  const auto* found = std::ranges::find(renumbered, onnx_dtype, &TypePair::onnx);
  return found == renumbered.end() ? onnx_dtype : found->ort;
}

std::int32_t from_ort_type(std::int32_t ort_type) {
  const auto* found = std::ranges::find(renumbered, ort_type, &TypePair::ort);
  return found == renumbered.end() ? ort_type : found->onnx;
}

Result<Owned<OrtValue>> make_value(const OrtApi& api, const OrtMemoryInfo* memory, const DyclTensor& tensor) {
  if (tensor.dtype == string_type) return make_strings(api, tensor);
  OrtValue* value = nullptr;
  static const std::int64_t nothing = 0;  // an empty tensor still needs an address
  void* data = tensor.data == nullptr ? const_cast<std::int64_t*>(&nothing) : const_cast<void*>(tensor.data);
  Status made = to_status(api, api.CreateTensorWithDataAsOrtValue(memory, data, tensor.byte_size, tensor.dims,
                                                                  static_cast<std::size_t>(tensor.rank),
                                                                  to_ort_type(tensor.dtype), &value));
  if (!made) return failure_of(std::move(made));
  return Owned<OrtValue>(value, api.ReleaseValue.function);
}

Result<std::vector<PortType>> input_types(const OrtApi& api, const OrtSession* session) {
  auto count = input_count(api, session);
  if (!count) return failure_of(std::move(count));
  return read_types(api, *count, [&](std::size_t index, OrtTypeInfo** type) {
    return api.SessionGetInputTypeInfo(session, index, type);
  });
}

Result<std::vector<PortType>> output_types(const OrtApi& api, const OrtSession* session) {
  auto count = output_count(api, session);
  if (!count) return failure_of(std::move(count));
  return read_types(api, *count, [&](std::size_t index, OrtTypeInfo** type) {
    return api.SessionGetOutputTypeInfo(session, index, type);
  });
}

Result<std::vector<std::string>> input_names(const OrtApi& api, const OrtSession* session) {
  auto count = input_count(api, session);
  if (!count) return failure_of(std::move(count));
  return read_names(api, *count, [&](std::size_t index, OrtAllocator* allocator, char** name) {
    return api.SessionGetInputName(session, index, allocator, name);
  });
}

Result<std::vector<std::string>> output_names(const OrtApi& api, const OrtSession* session) {
  auto count = output_count(api, session);
  if (!count) return failure_of(std::move(count));
  return read_names(api, *count, [&](std::size_t index, OrtAllocator* allocator, char** name) {
    return api.SessionGetOutputName(session, index, allocator, name);
  });
}

}  // namespace dycl::onnxruntime
