// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/tensor_data.h"
#include "common/tensors.h"
#include "element_type.h"
#include "executable.h"

namespace dycl::openvino {
namespace {

// Where an empty tensor is said to lie: OpenVINO refuses a null address.
std::byte nowhere[64];

struct OwnedTensor {
  explicit OwnedTensor(ScopedHandle<OvTensor> handle) : tensor(std::move(handle)) {}
  ScopedHandle<OvTensor> tensor;
};

void release_owned(void* owner) {
  if (!process_is_ending()) std::unique_ptr<OwnedTensor>(static_cast<OwnedTensor*>(owner)).reset();
}

std::int32_t dtype_number(const OutputPort& port) { return static_cast<std::int32_t>(port.value.dtype); }

template <class T>
std::optional<T> first_beyond(const DyclTensor& tensor, std::int64_t largest) {
  const auto count = static_cast<std::size_t>(element_count(plugin::dims_of(tensor)).value_or(0));
  const std::span<const T> values(static_cast<const T*>(tensor.data), count);
  const auto limit = static_cast<T>(largest);
  const auto found = std::ranges::find_if(values, [&](T value) {
    if constexpr (std::is_signed_v<T>) return value > limit || value < -limit;
    return value > limit;
  });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

std::string text_beyond(DType dtype, const DyclTensor& tensor, std::int64_t largest) {
  const auto text = [](auto value) { return value ? fmt::format("{}", *value) : std::string(); };
  switch (dtype) {
    case DType::I32: return text(first_beyond<std::int32_t>(tensor, largest));
    case DType::I64: return text(first_beyond<std::int64_t>(tensor, largest));
    case DType::U32: return text(first_beyond<std::uint32_t>(tensor, largest));
    case DType::U64: return text(first_beyond<std::uint64_t>(tensor, largest));
    default: return {};
  }
}

OvShape shape_of(std::span<const std::int64_t> dims) {
  return {static_cast<std::int64_t>(dims.size()), const_cast<std::int64_t*>(dims.data())};
}

}  // namespace

OvCall::OvCall(const OvExecutable& executable, ScopedHandle<OvInferRequest> request)
    : executable_(&executable),
      api_(&executable.api()),
      request_(std::move(request)),
      bound_inputs_(executable.inputs().size()),
      bound_outputs_(executable.outputs().size()),
      guard_flags_(executable.guards().size()) {
  for (std::size_t i = 0; i < executable.outputs().size(); ++i)
    fresh_.emplace_back(nullptr, api_->tensor_free);
}

Result<std::unique_ptr<OvCall>> OvCall::create(const OvExecutable& executable) {
  Result<ScopedHandle<OvInferRequest>> request = executable.create_request();
  if (!request) return failure_of(std::move(request));
  auto call =
      std::unique_ptr<OvCall>(new OvCall(executable, std::move(*request)));  // NOLINT: private constructor
  if (Status status = call->bind_guards(); !status) return failure_of(std::move(status));
  return call;
}

Status OvCall::bind_guards() {
  if (guard_flags_.empty()) return {};
  std::int64_t count = std::ssize(guard_flags_);
  OvTensor* view = nullptr;
  const int type = *to_openvino(DType::F32);
  if (Status status = to_status(
          *api_, api_->tensor_over_memory(type, {1, &count}, guard_flags_.data(), &view), "bind checks");
      !status)
    return status;
  const ScopedHandle<OvTensor> owner(view, api_->tensor_free);
  const std::size_t index = executable_->outputs().size();
  return to_status(*api_, api_->request_set_output(request_.get(), index, view), "bind checks");
}

Status OvCall::check_input(const InputPort& port, const DyclTensor& tensor) const {
  if (Status status = plugin::check_tensor(tensor, port.role); !status) return status;
  if (tensor.dtype != static_cast<std::int32_t>(port.value.dtype))
    return fail(Blame::Usage, "backend.input_type",
                fmt::format("{} is {}, expected {}", port.role,
                            plugin::describe_tensor(tensor.dtype, plugin::dims_of(tensor)),
                            name_of(port.value.dtype)));
  if (!port.is_checked) return {};
  const std::string value = text_beyond(port.value.dtype, tensor, executable_->largest_integer());
  if (value.empty()) return {};
  return fail(Blame::Backend, "openvino.integer_range",
              fmt::format("{} value {} at {} is beyond what openvino computes exactly here (±{})",
                          name_of(port.value.dtype), value, port.role, executable_->largest_integer()),
              {}, "compile for onnxruntime");
}

Status OvCall::bind_input(std::size_t index, const DyclTensor& tensor) {
  const InputPort& port = executable_->inputs()[index];
  if (Status status = check_input(port, tensor); !status) return status;
  if (port.port == nullptr) return {};
  Binding& bound = bound_inputs_[index];
  const auto dims = plugin::dims_of(tensor);
  const void* memory = tensor.byte_size == 0 || tensor.data == nullptr ? nowhere : tensor.data;
  if (bound.memory == memory && std::ranges::equal(bound.dims, dims)) return {};
  bound.memory = nullptr;
  OvTensor* view = nullptr;
  const int type = *to_openvino(port.value.dtype);
  OvStatus status = api_->tensor_over_memory(type, shape_of(dims), const_cast<void*>(memory), &view);
  if (Status checked = to_status(*api_, status, "take an input"); !checked) return checked;
  const ScopedHandle<OvTensor> owner(view, api_->tensor_free);
  status = api_->request_set_tensor(request_.get(), port.port.get(), view);
  if (status != 0) return to_status(*api_, status, fmt::format("take {}", port.role));
  bound.memory = memory;
  bound.dims.assign(dims.begin(), dims.end());
  return {};
}

// Results of known shape are written where they are wanted, or into a fresh tensor that leaves with
// the result: the request's own memory is overwritten by the next run.
Status OvCall::bind_output(std::size_t index, DyclOutput& output) {
  output.owner = nullptr;
  output.data = nullptr;
  const OutputPort& port = executable_->outputs()[index];
  if (!port.is_static) return {};
  Binding& bound = bound_outputs_[index];
  const bool in_place = port.size > 0 && plugin::offers(output, dtype_number(port), port.dims, port.size);
  if (in_place && bound.memory == output.buffer) return {};
  bound.memory = nullptr;
  OvTensor* tensor = nullptr;
  const OvStatus made =
      in_place ? api_->tensor_over_memory(port.element_type, shape_of(port.dims), output.buffer, &tensor)
               : api_->tensor_create(port.element_type, shape_of(port.dims), &tensor);
  if (Status status = to_status(*api_, made, "make room for a result"); !status) return status;
  ScopedHandle<OvTensor> owner(tensor, api_->tensor_free);
  if (Status status =
          to_status(*api_, api_->request_set_output(request_.get(), index, tensor), "bind a result");
      !status)
    return status;
  if (in_place)
    bound.memory = output.buffer;
  else
    fresh_[index] = std::move(owner);
  return {};
}

// A result in the request's own memory, moved to where it may stay.
Status OvCall::copy_out(const OutputPort& port, std::size_t index, DyclOutput& output) {
  OvTensor* tensor = nullptr;
  OvShape shape{};
  void* data = nullptr;
  std::size_t size = 0;
  if (Status status =
          to_status(*api_, api_->request_get_output(request_.get(), index, &tensor), "give a result");
      !status)
    return status;
  const ScopedHandle<OvTensor> source(tensor, api_->tensor_free);
  if (Status status = to_status(*api_, api_->tensor_shape(tensor, &shape), "give a result's shape"); !status)
    return status;
  scratch_dims_.assign(shape.dims, shape.dims + shape.rank);
  api_->shape_free(&shape);
  if (scratch_dims_.size() > DYCL_MAX_RANK)
    return fail(Blame::Backend, "openvino.outputs", "a result has too many axes");
  if (Status status = to_status(*api_, api_->tensor_byte_size(tensor, &size), "give a result's size");
      !status)
    return status;
  if (size > 0)
    if (Status status = to_status(*api_, api_->tensor_data(tensor, &data), "give a result's memory"); !status)
      return status;
  if (size > 0 && plugin::offers(output, dtype_number(port), scratch_dims_, size)) {
    std::memcpy(output.buffer, data, size);
    output.data = output.buffer;
    output.byte_size = size;
    return {};
  }
  OvTensor* copy = nullptr;
  const OvStatus made = api_->tensor_create(port.element_type, shape_of(scratch_dims_), &copy);
  if (Status status = to_status(*api_, made, "make room for a result"); !status) return status;
  ScopedHandle<OvTensor> owner(copy, api_->tensor_free);
  void* target = nullptr;
  if (size > 0 && api_->tensor_data(copy, &target) == 0) std::memcpy(target, data, size);
  return hand_over(port, std::move(owner), scratch_dims_, size, output);
}

Status OvCall::hand_over(const OutputPort& port, ScopedHandle<OvTensor> tensor,
                         std::span<const std::int64_t> dims, std::size_t size, DyclOutput& output) {
  void* data = nowhere;
  if (size > 0)
    if (Status status = to_status(*api_, api_->tensor_data(tensor.get(), &data), "give a result's memory");
        !status)
      return status;
  output.dtype = dtype_number(port);
  output.rank = static_cast<std::int32_t>(dims.size());
  std::ranges::copy(dims, output.dims);
  output.data = data;
  output.byte_size = size;
  auto owned = std::make_unique<OwnedTensor>(std::move(tensor));
  output.owner = owned.release();
  output.release = release_owned;
  return {};
}

Status OvCall::collect_output(std::size_t index, DyclOutput& output) {
  const OutputPort& port = executable_->outputs()[index];
  if (!port.is_static) return copy_out(port, index, output);
  if (fresh_[index] != nullptr)
    return hand_over(port, std::move(fresh_[index]), port.dims, port.size, output);
  output.data = output.buffer;
  output.byte_size = port.size;
  return {};
}

Status OvCall::check_guards() const {
  for (std::size_t i = 0; i < guard_flags_.size(); ++i)
    if (guard_flags_[i] > 0) return fail(Blame::Model, "openvino.guard", executable_->guards()[i]);
  return {};
}

Status OvCall::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  if (inputs.size() != executable_->inputs().size() || outputs.size() != executable_->outputs().size())
    return fail(Blame::Internal, "backend.call", "the call does not have the graph's inputs and outputs");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (Status status = bind_input(i, inputs[i]); !status) return status;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (Status status = bind_output(i, outputs[i]); !status) return status;
  if (Status status = to_status(*api_, api_->request_infer(request_.get()), "run the graph"); !status)
    return status;
  if (Status status = check_guards(); !status) return status;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Status status = collect_output(i, outputs[i]);
    if (status) continue;
    plugin::give_back(outputs.first(i));
    return status;
  }
  return {};
}

}  // namespace dycl::openvino
