// SPDX-License-Identifier: Apache-2.0
// Puts the tensors of a list together, and splits tensors into lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "emitted/lists.h"
#include "host_rules/elements.h"
#include "host_rules/indices.h"
#include "host_rules/slices.h"

namespace dycl::emitted {

inline bool fits_beside(const Tensor& first, const Tensor& other, std::size_t axis, bool new_axis) {
  if (other.dtype != first.dtype || other.dims.size() != first.dims.size()) return false;
  for (std::size_t index = 0; index < first.dims.size(); ++index)
    if (other.dims[index] != first.dims[index] && (new_axis || index != axis)) return false;
  return true;
}

// Puts tensors together that agree in everything but the size along the axis.
inline Tensor put_together(Pool& pool, const std::vector<Tensor>& tensors, std::size_t axis, bool new_axis) {
  Tensor first = tensors.front();
  if (new_axis) host_rules::add_axis(first.dims, axis);
  if (tensors.size() == 1) return first;
  Dims dims = first.dims;
  dims[axis] = 0;
  for (const Tensor& tensor : tensors)
    if (__builtin_add_overflow(dims[axis], new_axis ? 1 : tensor.dims[axis], &dims[axis]))
      throw std::bad_alloc();
  const host_rules::Strides strides = host_rules::strides_of(first.dims, axis);
  std::byte* data = nullptr;
  Tensor result = new_tensor(pool, first.dtype, dims, data);
  if (result.bytes == 0) return result;
  if (bits_of(first.dtype) < 8) std::memset(data, 0, result.bytes);
  std::int64_t position = 0;
  for (std::int64_t outer = 0; outer < strides.outer; ++outer)
    for (const Tensor& tensor : tensors) {
      const std::int64_t count = (new_axis ? 1 : tensor.dims[axis]) * strides.inner;
      host_rules::copy_piece({tensor.data, outer * count, count}, data, position, bits_of(first.dtype));
      position += count;
    }
  return result;
}

// Concatenates or stacks the tensors of a list; `empty` makes the result of an empty one.
template <class Empty>
Tensor concatenated(Pool& pool, const List<Tensor>& list, std::int64_t axis, bool new_axis,
                    const Empty& empty) {
  const std::vector<Tensor>& tensors = list.items();
  if (tensors.empty()) return empty();
  const std::size_t rank = tensors.front().dims.size() + (new_axis ? 1 : 0);
  std::size_t place = 0;
  if (!host_rules::resolve_axis(axis, rank, place) || rank > DYCL_MAX_RANK)
    raise_exception("IndexError",
                    "axis " + std::to_string(axis) + " is out of range for " + text_of(tensors.front()));
  for (const Tensor& tensor : tensors)
    if (!fits_beside(tensors.front(), tensor, place, new_axis))
      raise_exception("ValueError", text_of(tensors.front()) + " and " + text_of(tensor) +
                                        " cannot be joined along axis " + std::to_string(axis));
  return put_together(pool, tensors, place, new_axis);
}

// The result of concatenating nothing, if its sizes are known.
inline Tensor empty_tensor(Pool& pool, std::int32_t dtype, const Dims& dims) {
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] < 0)
      raise_exception("ValueError", "an empty sequence cannot be concatenated: size " + std::to_string(axis) +
                                        " of the result is not known");
  std::byte* data = nullptr;
  Tensor result = new_tensor(pool, dtype, dims, data);
  if (result.bytes > 0) std::memset(data, 0, result.bytes);
  return result;
}

inline std::vector<std::int64_t> integers_of(std::int32_t dtype, const void* data, std::int64_t count) {
  std::vector<std::int64_t> numbers;
  const auto* element = static_cast<const std::byte*>(data);
  for (std::int64_t index = 0; index < count; ++index) {
    numbers.push_back(dtype == 7 ? host_rules::load<std::int64_t>(element)
                                 : host_rules::load<std::int32_t>(element));
    element += dtype == 7 ? 8 : 4;
  }
  return numbers;
}

// Splits a tensor along an axis into parts of these sizes; `drops_axis` if each has one row and loses the
// axis.
inline List<Tensor> split_into(Pool& pool, const Tensor& tensor, std::int64_t axis,
                               const std::vector<std::int64_t>& sizes, bool drops_axis) {
  std::size_t place = 0;
  host_rules::resolve_axis(axis, tensor.dims.size(), place);
  List<Tensor> parts;
  std::vector<Tensor>& items = parts.own_items();
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    items.push_back(part_of(pool, tensor, place, begin, size));
    if (drops_axis) host_rules::remove_axis(items.back().dims, place);
    begin += size;
  }
  return parts;
}

inline List<Tensor> split_rows(Pool& pool, const Tensor& tensor, std::int64_t axis, bool keepdims) {
  const std::int64_t extent = size_along(tensor, axis);
  return split_into(pool, tensor, axis, std::vector<std::int64_t>(static_cast<std::size_t>(extent), 1),
                    !keepdims);
}

// By a tensor of sizes, or of one size for all parts but perhaps the last.
inline List<Tensor> split_by(Pool& pool, const Tensor& tensor, std::int64_t axis, const Tensor& sizes) {
  const std::int64_t extent = size_along(tensor, axis);
  std::vector<std::int64_t> given = integers_of(sizes.dtype, sizes.data, sizes.count());
  given = sizes.dims.size() == 0 ? host_rules::equal_parts(given.at(0), extent)
                                 : host_rules::part_sizes(std::move(given), extent);
  return split_into(pool, tensor, axis, given, false);
}

}  // namespace dycl::emitted
