// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <cstring>

#include "base/by_rule.h"
#include "host_rules/indices.h"
#include "runtime/host_ops.h"
#include "runtime/tensor_slice.h"

namespace dycl::runtime {
namespace {

// What the output's type says of an empty sequence's concatenation: 0 along the axis.
Status concat_nothing(const HostCall& call) {
  const FlatShape& shape = call.plan().shapes[call.output_slot()];
  if (const auto given = part(call.plan().sizes, call.attributes().sizes); !given.empty()) {
    InlineDims dims;
    dims.resize(given.size());
    for (std::size_t index = 0; index < given.size(); ++index) dims[index] = given[index];
    return call.give(empty_tensor(shape.dtype, dims, call.pool()));
  }
  const auto axis = resolve_axis(call.attributes().axis, shape.dims.count);
  if (!shape.ranked || !axis)
    return raised("ValueError", "an empty sequence cannot be concatenated: the result's rank is not known");
  InlineDims dims;
  dims.resize(shape.dims.count);
  const auto promised = part(call.plan().dims, shape.dims);
  for (std::size_t index = 0; index < dims.size(); ++index) {
    dims[index] = index == *axis ? 0 : size_of_dim(call.plan(), promised[index], call.symbols());
    if (dims[index] < 0)
      return raised(
          "ValueError",
          fmt::format("an empty sequence cannot be concatenated: size {} of the result is not known", index));
  }
  return call.give(empty_tensor(shape.dtype, dims, call.pool()));
}

bool fits_first(const RuntimeTensor& first, const RuntimeTensor& other, std::size_t axis, bool new_axis) {
  if (other.dtype != first.dtype || other.dims.size() != first.dims.size()) return false;
  for (std::size_t index = 0; index < first.dims.size(); ++index)
    if (other.dims[index] != first.dims[index] && (new_axis || index != axis)) return false;
  return true;
}

Result<std::vector<std::int64_t>> integers_of(const HostCall& call, const RuntimeTensor& tensor) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
  if (tensor.dtype == DType::I64) {
    if (!values.empty()) std::memcpy(values.data(), tensor.data, tensor.byte_size);
    return values;
  }
  if (tensor.dtype != DType::I32) return call.bad_operand();
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::int32_t value = 0;
    std::memcpy(&value, tensor.data + index * sizeof value, sizeof value);
    values[index] = value;
  }
  return values;
}

// How large each part is. A 0-d `sizes` is the size of every part but perhaps the last.
Result<std::vector<std::int64_t>> part_sizes(const HostCall& call, std::int64_t extent) {
  if (call.operands() == 1) return std::vector<std::int64_t>(static_cast<std::size_t>(extent), 1);
  const RuntimeTensor* sizes = call.operand(1).tensor();
  if (sizes == nullptr) return call.bad_operand();
  auto given = integers_of(call, *sizes);
  if (!given) return given;
  if (sizes->dims.size() != 0)
    return by_rule([&] { return host_rules::part_sizes(std::move(*given), extent); });
  return by_rule([&] { return host_rules::equal_parts(given->at(0), extent); });
}

}  // namespace

Status concat_sequence(const HostCall& call) {
  const std::vector<RuntimeValue>* items = call.operand(0).items();
  if (items == nullptr) return call.bad_operand();
  if (items->empty()) return concat_nothing(call);
  const RuntimeTensor* first = items->front().tensor();
  if (first == nullptr) return call.bad_operand();
  const bool new_axis = call.attributes().new_axis;
  const std::size_t rank = first->dims.size() + (new_axis ? 1 : 0);
  const auto axis = resolve_axis(call.attributes().axis, rank);
  if (!axis || rank > DYCL_MAX_RANK) return axis_error(call.attributes().axis, *first);
  for (const RuntimeValue& item : *items) {
    if (item.tensor() == nullptr) return call.bad_operand();
    if (!fits_first(*first, *item.tensor(), *axis, new_axis))
      return raised("ValueError",
                    fmt::format("{} and {} cannot be joined along axis {}", describe(items->front()),
                                describe(item), call.attributes().axis));
  }
  return call.give(concatenate(*items, *axis, new_axis, call.pool()));
}

Status split_tensor(const HostCall& call) {
  const RuntimeTensor* tensor = call.operand(0).tensor();
  if (tensor == nullptr) return call.bad_operand();
  const auto axis = resolve_axis(call.attributes().axis, tensor->dims.size());
  if (!axis) return axis_error(call.attributes().axis, *tensor);
  const auto sizes = part_sizes(call, tensor->dims[*axis]);
  if (!sizes) return Failure(sizes.error());
  const bool drops_axis = call.operands() == 1 && !call.attributes().keepdims;
  SequenceRef parts = call.pool().take_sequence();
  std::int64_t begin = 0;
  for (const std::int64_t size : *sizes) {
    RuntimeTensor piece = slice(*tensor, {*axis, begin, size}, call.pool());
    if (drops_axis) remove_axis(piece, *axis);
    parts->items.emplace_back(std::move(piece));
    begin += size;
  }
  return call.give(std::move(parts));
}

}  // namespace dycl::runtime
