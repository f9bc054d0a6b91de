// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "base/by_rule.h"
#include "host_rules/indices.h"
#include "runtime/element.h"
#include "runtime/host_ops.h"
#include "runtime/tensor_slice.h"

namespace dycl::runtime {
namespace {

Status item(const HostCall& call, const RuntimeTensor& tensor) {
  auto element = read_single_element(tensor);
  if (!element) return failure_of(std::move(element));
  auto scalar = convert_scalar(*element, call.plan().scalar_kinds[call.output_slot()]);
  if (!scalar) return failure_of(std::move(scalar));
  return call.give(*scalar);
}

Status to_tensor(const HostCall& call) {
  const Scalar* scalar = call.operand(0).scalar();
  if (scalar == nullptr) return call.bad_operand();
  const FlatAttributes& attributes = call.attributes();
  RuntimeTensor tensor;
  tensor.dtype = attributes.dtype;
  tensor.dims = InlineDims(call.sizes());
  tensor.byte_size = byte_size(attributes.dtype, 1).value_or(0);
  tensor.buffer = call.pool().take(tensor.byte_size);
  tensor.data = tensor.buffer->data;
  if (Status written = write_element(*scalar, attributes.dtype, tensor.data); !written) return written;
  return call.give(std::move(tensor));
}

Status dim(const HostCall& call, const RuntimeTensor& tensor) {
  const auto axis = resolve_axis(call.attributes().axis, tensor.dims.size());
  if (!axis) return axis_error(call.attributes().axis, tensor);
  return call.give(Scalar(tensor.dims[*axis]));
}

// The sizes that view's attribute asks for; nullopt when they do not hold the tensor's elements.
std::optional<InlineDims> viewed_dims(std::span<const std::int64_t> wanted, const RuntimeTensor& tensor) {
  InlineDims dims;
  const bool fits = wanted.size() <= DYCL_MAX_RANK &&
                    host_rules::view_sizes(wanted.data(), wanted.size(), tensor.dims, tensor.count(), dims);
  return fits ? std::optional(dims) : std::nullopt;
}

Status view(const HostCall& call, const RuntimeTensor& tensor) {
  const auto dims = viewed_dims(call.sizes(), tensor);
  if (!dims)
    return raised("ValueError", fmt::format("{} cannot be viewed as [{}]", describe(call.operand(0)),
                                            fmt::join(call.sizes(), ", ")));
  RuntimeValue value = call.take(0);
  std::get<RuntimeTensor>(value).dims = *dims;
  return call.give(std::move(value));
}

Status row(const HostCall& call, const RuntimeTensor& tensor) {
  const std::int64_t* index = call.integer(1);
  if (index == nullptr) return call.bad_operand();
  if (tensor.dims.size() == 0) return raised("IndexError", "a tensor without dims has no rows");
  const std::int64_t size = tensor.dims[0];
  const bool is_out = *index < -size || *index >= size;
  const Attributes& attributes = call.attributes().plan->attributes;
  if (is_out && attributes.contains("draws"))
    return draws_used_up(attribute_or(attributes, "draws", std::string()), size);
  auto place = by_rule([&] { return host_rules::row_place(*index, size); });
  if (!place) return failure_of(std::move(place));
  RuntimeTensor result = slice(tensor, {0, *place, 1}, call.pool());
  remove_axis(result, 0);
  return call.give(std::move(result));
}

}  // namespace

Status run_tensor_op(const HostCall& call) {
  if (call.op() == HostOp::ToTensor) return to_tensor(call);
  const RuntimeTensor* tensor = call.operand(0).tensor();
  if (tensor == nullptr) return call.bad_operand();
  switch (call.op()) {
    case HostOp::Item: return item(call, *tensor);
    case HostOp::Dim: return dim(call, *tensor);
    case HostOp::Numel: return call.give(Scalar(tensor->count()));
    case HostOp::View: return view(call, *tensor);
    case HostOp::Row: return row(call, *tensor);
    default: internal_error("an operation on tensors that the runtime does not know");
  }
}

}  // namespace dycl::runtime
