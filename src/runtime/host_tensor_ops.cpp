// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

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
  if (wanted.size() > DYCL_MAX_RANK) return std::nullopt;
  InlineDims dims(wanted);
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (wanted[axis] == -1) {
      open = axis;
      continue;
    }
    if (wanted[axis] == 0) {
      if (axis >= tensor.dims.size()) return std::nullopt;
      dims[axis] = tensor.dims[axis];
    }
    if (dims[axis] < 0 || __builtin_mul_overflow(known, dims[axis], &known)) return std::nullopt;
  }
  const std::int64_t count = tensor.count();
  if (!open) return known == count ? std::optional(dims) : std::nullopt;
  if (known == 0 || count % known != 0) return std::nullopt;
  dims[*open] = count / known;
  return dims;
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
  if (is_out)
    return raised("IndexError", fmt::format("index {} is out of range for dim 0 of size {}", *index, size));
  RuntimeTensor result = slice(tensor, {0, *index < 0 ? *index + size : *index, 1}, call.pool());
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
