// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "base/element.h"
#include "hcfg/interpret_parts.h"
#include "hcfg/tensor_rearrange.h"

namespace dycl {
namespace {

InterpreterValue empty_tensor(DType dtype, std::vector<std::int64_t> dims) {
  TensorData empty = dtype == DType::String ? make_string_tensor(std::move(dims), {})
                                            : make_tensor(dtype, std::move(dims), {});
  return InterpreterValue(std::make_shared<const TensorData>(std::move(empty)));
}

// Nothing to join: the attribute "dims", or the output's type alone says what the result looks like.
Result<InterpreterValue> join_nothing(const HostStep& step, const TensorType& output, std::int64_t axis,
                                      const SymbolSize& sizes) {
  const auto unknown = [] {
    return raised("ValueError", "an empty sequence cannot be concatenated: the result's sizes are not known");
  };
  auto given = attribute_or<std::vector<std::int64_t>>(step.attributes, "dims", {});
  if (!given.empty()) return empty_tensor(output.dtype, std::move(given));
  if (!output.dims) return unknown();
  auto place = checked_axis(axis, output.dims->size());
  if (!place) return failure_of(std::move(place));
  std::vector<std::int64_t> dims;
  for (std::size_t index = 0; index < output.dims->size(); ++index) {
    const auto size =
        index == *place ? std::optional<std::int64_t>(0) : evaluate((*output.dims)[index], sizes);
    if (!size || *size < 0) return unknown();
    dims.push_back(*size);
  }
  return empty_tensor(output.dtype, std::move(dims));
}

TensorPtr with_axis(const TensorData& tensor, std::size_t axis) {
  TensorData changed = tensor;
  changed.dims.insert(changed.dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return std::make_shared<const TensorData>(std::move(changed));
}

// How large each part is: 1 each, equal chunks (the last may be smaller), or as listed.
Result<std::vector<std::int64_t>> part_sizes(std::int64_t extent, const TensorData* given) {
  if (given == nullptr) return std::vector<std::int64_t>(static_cast<std::size_t>(extent), 1);
  std::vector<std::int64_t> sizes;
  for (std::size_t index = 0; index < static_cast<std::size_t>(given->count()); ++index) {
    auto element = element_at(*given, index);
    if (!element) return failure_of(std::move(element));
    sizes.push_back(std::get<std::int64_t>(*element));
  }
  if (given->dims.empty()) {
    const std::int64_t chunk = sizes[0];
    if (chunk <= 0) return raised("ValueError", fmt::format("{} is no size of a part", chunk));
    sizes.clear();
    for (std::int64_t left = extent; left > 0; left -= sizes.back()) sizes.push_back(std::min(chunk, left));
    return sizes;
  }
  std::int64_t left = extent;
  for (const std::int64_t size : sizes) left = size < 0 || size > left ? -1 : left - size;
  if (left == 0) return sizes;
  return raised("ValueError",
                fmt::format("sizes [{}] do not split {} elements", fmt::join(sizes, ", "), extent));
}

}  // namespace

Result<InterpreterValue> run_seq_concat(const HostStep& step, const TensorType& output,
                                        const std::vector<InterpreterValue>& items, const SymbolSize& sizes) {
  const auto axis = attribute_or(step.attributes, "axis", std::int64_t{0});
  const bool new_axis = attribute_or(step.attributes, "new_axis", std::int64_t{0}) != 0;
  if (items.empty()) return join_nothing(step, output, axis, sizes);
  auto place = checked_axis(axis, std::get<TensorPtr>(items[0])->dims.size() + (new_axis ? 1 : 0));
  if (!place) return failure_of(std::move(place));
  std::vector<TensorPtr> tensors;
  for (const InterpreterValue& item : items) {
    const TensorPtr& tensor = std::get<TensorPtr>(item);
    if (new_axis && *place > tensor->dims.size())
      return raised("ValueError", "tensors of different ranks cannot be stacked");
    tensors.push_back(new_axis ? with_axis(*tensor, *place) : tensor);
  }
  auto joined = join_axis(tensors, *place);
  if (!joined) return failure_of(std::move(joined));
  return InterpreterValue(std::make_shared<const TensorData>(*std::move(joined)));
}

Result<InterpreterValue> run_seq_split(const HostStep& step,
                                       std::span<const InterpreterValue* const> operands) {
  const TensorData& tensor = *std::get<TensorPtr>(*operands[0]);
  const TensorData* given = operands.size() == 2 ? std::get<TensorPtr>(*operands[1]).get() : nullptr;
  auto axis = checked_axis(attribute_or(step.attributes, "axis", std::int64_t{0}), tensor.dims.size());
  if (!axis) return failure_of(std::move(axis));
  auto sizes = part_sizes(tensor.dims[*axis], given);
  if (!sizes) return failure_of(std::move(sizes));
  const bool drops_axis = given == nullptr && attribute_or(step.attributes, "keepdims", std::int64_t{1}) == 0;
  auto parts = std::make_shared<std::vector<InterpreterValue>>();
  std::int64_t begin = 0;
  for (const std::int64_t size : *sizes) {
    auto part = slice_axis(tensor, *axis, begin, size);
    if (!part) return failure_of(std::move(part));
    if (drops_axis) part->dims.erase(part->dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    parts->emplace_back(std::make_shared<const TensorData>(*std::move(part)));
    begin += size;
  }
  return InterpreterValue(SeqValue{std::move(parts)});
}

}  // namespace dycl
