// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/dtype.h"
#include "base/tensor_data.h"
#include "common/strings.h"
#include "common/tensors.h"
#include "onnxruntime/executable.h"

namespace dycl::onnxruntime {
namespace {

std::size_t bytes_of_type(std::int32_t dtype, std::span<const std::int64_t> dims) {
  const auto known = dtype_from_number(dtype);
  const auto count = element_count(dims);
  return known && count ? byte_size(*known, *count).value_or(0) : 0;
}

std::span<const std::int64_t> offered_dims(const DyclOutput& output) {
  return {output.dims, static_cast<std::size_t>(std::clamp<std::int32_t>(output.rank, 0, DYCL_MAX_RANK))};
}

// May ONNX Runtime be told to write a result of this port there? It checks shapes, but not dtypes.
bool usable(const DyclOutput& output, const PortType& type) {
  if (output.buffer == nullptr || output.dtype != type.dtype || type.dtype == string_type) return false;
  if (output.rank < 0 || output.rank > DYCL_MAX_RANK) return false;
  const auto dims = offered_dims(output);
  if (!element_count(dims) || bytes_of_type(output.dtype, dims) > output.capacity) return false;
  if (!type.ranked) return true;
  return std::equal(dims.begin(), dims.end(), type.dims.begin(), type.dims.end(),
                    [](std::int64_t offered, std::int64_t known) { return known < 0 || offered == known; });
}

void release_bytes(void* owner) {
  const std::unique_ptr<std::vector<std::byte>> ends_here(static_cast<std::vector<std::byte>*>(owner));
}

Status read_shape(const OrtApi& api, const OrtValue* value, DyclOutput& output) {
  OrtTensorInfo* info = nullptr;
  Status done = to_status(api, api.GetTensorTypeAndShape(value, &info));
  const Owned<OrtTensorInfo> owned(info, api.ReleaseTensorTypeAndShapeInfo.function);
  std::size_t rank = 0;
  int dtype = 0;
  if (done) done = to_status(api, api.GetTensorElementType(info, &dtype));
  if (done) done = to_status(api, api.GetDimensionsCount(info, &rank));
  if (done && rank > DYCL_MAX_RANK)
    return fail(Blame::Backend, "onnxruntime.rank",
                fmt::format("a result has rank {}, 16 is the limit", rank));
  if (done) done = to_status(api, api.GetDimensions(info, output.dims, rank));
  output.dtype = from_ort_type(dtype);
  output.rank = static_cast<std::int32_t>(rank);
  return done;
}

}  // namespace

Call::Call(std::shared_ptr<const Executable> executable)
    : api_(executable->environment_->api()), executable_(std::move(executable)) {
  const std::size_t outputs = executable_->outputs_.size();
  input_values_.reserve(executable_->inputs_.size());
  raw_inputs_.reserve(executable_->inputs_.size());
  output_values_.reserve(outputs);
  raw_outputs_.resize(outputs);
  offered_.resize(outputs);
}

Status Call::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  if (outputs.size() != executable_->outputs_.size())
    return fail(
        Blame::Usage, "onnxruntime.outputs",
        fmt::format("{} outputs asked for, the graph has {}", outputs.size(), executable_->outputs_.size()));
  if (Status bound = bind_inputs(inputs); !bound) return bound;
  if (Status bound = bind_outputs(outputs, true); !bound) return bound;
  Status ran = execute();
  // An offer of the wrong size ends in an error; without offers the result comes in its own memory.
  if (!ran && std::ranges::count(offered_, 1) > 0) {
    if (Status bound = bind_outputs(outputs, false); !bound) return bound;
    ran = execute();
  }
  for (std::size_t index = 0; index < outputs.size() && ran; ++index) {
    ran = hand_over(index, outputs[index]);
    if (!ran) plugin::give_back(outputs.first(index));
  }
  input_values_.clear();
  output_values_.clear();
  return ran;
}

Status Call::bind_inputs(std::span<const DyclTensor> inputs) {
  const auto& ports = executable_->inputs_;
  if (inputs.size() != ports.size())
    return fail(Blame::Usage, "onnxruntime.inputs",
                fmt::format("{} inputs given, the graph takes {}", inputs.size(), ports.size()));
  input_values_.clear();
  raw_inputs_.clear();
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const DyclTensor& tensor = inputs[index];
    if (Status safe = plugin::check_tensor(tensor, ports[index].name); !safe) return safe;
    if (tensor.dtype != ports[index].type.dtype)
      return fail(Blame::Usage, "onnxruntime.dtype",
                  fmt::format("input '{}' is {}, the graph takes dtype {}", ports[index].name,
                              plugin::describe_tensor(tensor.dtype, plugin::dims_of(tensor)),
                              ports[index].type.dtype));
    auto value = make_value(api_, executable_->environment_->memory(), tensor);
    if (!value) return failure_of(std::move(value));
    raw_inputs_.push_back(value->get());
    input_values_.push_back(std::move(*value));
  }
  return {};
}

Status Call::bind_outputs(std::span<const DyclOutput> outputs, bool use_offers) {
  output_values_.clear();
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    const DyclOutput& output = outputs[index];
    const auto& port = executable_->outputs_[index];
    raw_outputs_[index] = nullptr;
    offered_[index] = use_offers && !port.handed_through && usable(output, port.type) ? 1 : 0;
    if (offered_[index] == 0) continue;
    const auto dims = offered_dims(output);
    const DyclTensor target{output.dtype,
                            output.rank,
                            dims.data(),
                            output.buffer,
                            bytes_of_type(output.dtype, dims),
                            plugin::cpu_device,
                            0};
    auto value = make_value(api_, executable_->environment_->memory(), target);
    if (!value) return failure_of(std::move(value));
    raw_outputs_[index] = value->get();
    output_values_.push_back(std::move(*value));
  }
  return {};
}

Status Call::execute() {
  if (raw_outputs_.empty()) return {};  // ONNX Runtime refuses to run for nothing
  const Executable& executable = *executable_;
  return to_status(api_, api_.Run(executable.session_.session.get(), nullptr, executable.input_names_.data(),
                                  raw_inputs_.data(), raw_inputs_.size(), executable.output_names_.data(),
                                  raw_outputs_.size(), raw_outputs_.data()));
}

Status Call::hand_over(std::size_t index, DyclOutput& output) {
  output.owner = nullptr;
  output.release = nullptr;
  if (offered_[index] != 0) {
    output.data = output.buffer;
    output.byte_size = bytes_of_type(output.dtype, offered_dims(output));
    return {};
  }
  Owned<OrtValue> value(raw_outputs_[index], api_.ReleaseValue.function);
  int is_tensor = 0;
  if (value == nullptr || executable_->outputs_[index].type.dtype == 0)
    return fail(Blame::Backend, "onnxruntime.not_a_tensor",
                fmt::format("output '{}' is not a tensor", executable_->outputs_[index].name));
  Status done = to_status(api_, api_.IsTensor(value.get(), &is_tensor));
  DyclOutput result = output;
  if (done) done = read_shape(api_, value.get(), result);
  if (!done) return done;
  if (result.dtype == string_type) return hand_over_strings(value.get(), output);
  void* data = nullptr;
  done = to_status(api_, api_.GetTensorMutableData(value.get(), &data));
  if (!done) return done;
  result.byte_size = bytes_of_type(result.dtype, offered_dims(result));
  if (plugin::offers(output, result.dtype, offered_dims(result), result.byte_size)) {
    if (result.byte_size > 0) std::memcpy(output.buffer, data, result.byte_size);
    result.data = output.buffer;
  } else {
    result.data = data;
    result.owner = value.release();
    result.release = api_.ReleaseOwner.function;
  }
  output = result;
  return {};
}

Status Call::hand_over_strings(OrtValue* value, DyclOutput& output) {
  DyclOutput result = output;
  if (Status shaped = read_shape(api_, value, result); !shaped) return shaped;
  const auto count = static_cast<std::size_t>(element_count(offered_dims(result)).value_or(0));
  std::size_t length = 0;
  Status done = to_status(api_, api_.GetStringTensorDataLength(value, &length));
  std::string characters(length, '\0');
  std::vector<std::size_t> starts(count);
  if (done && count > 0)
    done =
        to_status(api_, api_.GetStringTensorContent(value, characters.data(), length, starts.data(), count));
  if (!done) return done;
  std::vector<std::string_view> views;
  for (std::size_t index = 0; index < count; ++index) {
    const std::size_t end = index + 1 < count ? starts[index + 1] : length;
    views.push_back(std::string_view(characters).substr(starts[index], end - starts[index]));
  }
  auto bytes = std::make_unique<std::vector<std::byte>>();
  plugin::write_strings(views, *bytes);
  result.byte_size = bytes->size();
  if (plugin::offers(output, result.dtype, offered_dims(result), bytes->size())) {
    std::memcpy(output.buffer, bytes->data(), bytes->size());
    result.data = output.buffer;
  } else {
    result.data = bytes->data();
    result.owner = bytes.release();
    result.release = release_bytes;
  }
  output = result;
  return {};
}

}  // namespace dycl::onnxruntime
