// SPDX-License-Identifier: Apache-2.0
// Tensors whose sizes are known only while the program runs, or that are kept in lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "emitted/dims.h"
#include "emitted/items.h"
#include "emitted/pool.h"
#include "host_rules/elements.h"
#include "host_rules/indices.h"
#include "host_rules/slices.h"

namespace dycl::emitted {

using host_rules::raise_exception;
using host_rules::Unable;

// A row-major, contiguous tensor. Copies share its memory, which nobody changes.
struct Tensor {
  std::int32_t dtype = 0;
  Dims dims;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  BlockRef block;            // empty: memory of the caller, or a weight
  bool is_borrowed = false;  // memory of the caller, which may go away after the run

  std::int64_t count() const { return count_of(dims); }
};

inline Tensor tensor_over(std::int32_t dtype, const Dims& dims, const void* data, bool is_borrowed) {
  const void* place = data == nullptr ? no_elements() : data;
  return {dtype, dims, static_cast<const std::byte*>(place), bytes_of(dtype, dims), {}, is_borrowed};
}

// A new tensor, whose elements are still to be written to the place that `data` gets.
inline Tensor new_tensor(Pool& pool, std::int32_t dtype, const Dims& dims, std::byte*& data) {
  const std::size_t bytes = bytes_of(dtype, dims);
  BlockRef block(pool.take(bytes));
  data = block.get()->data;
  return {dtype, dims, data, bytes, std::move(block), false};
}

inline std::string text_of(const Tensor& tensor) {
  std::string text = "a tensor of [";
  for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis)
    text += (axis == 0 ? "" : ",") + std::to_string(tensor.dims[axis]);
  return text + "]";
}

inline Tensor copied(Pool& pool, const Tensor& tensor) {
  std::byte* data = nullptr;
  Tensor copy = new_tensor(pool, tensor.dtype, tensor.dims, data);
  if (tensor.bytes > 0) std::memcpy(data, tensor.data, tensor.bytes);
  return copy;
}

inline std::int64_t size_along(const Tensor& tensor, std::int64_t axis) {
  std::size_t place = 0;
  if (!host_rules::resolve_axis(axis, tensor.dims.size(), place))
    raise_exception("IndexError", "axis " + std::to_string(axis) + " is out of range for " + text_of(tensor));
  return tensor.dims[place];
}

inline Tensor viewed(Tensor tensor, std::initializer_list<std::int64_t> wanted) {
  Dims dims;
  if (!host_rules::view_sizes(wanted.begin(), wanted.size(), tensor.dims, tensor.count(), dims))
    raise_exception("ValueError", text_of(tensor) + " cannot be viewed as [" +
                                      host_rules::joined(std::vector<std::int64_t>(wanted)) + "]");
  tensor.dims = dims;
  return tensor;
}

// A part of the tensor along one axis, within it: a view if it is one run of memory, else a copy.
inline Tensor part_of(Pool& pool, const Tensor& tensor, std::size_t axis, std::int64_t begin,
                      std::int64_t size) {
  if (begin == 0 && size == tensor.dims[axis]) return tensor;
  const host_rules::Strides strides = host_rules::strides_of(tensor.dims, axis);
  Dims dims = tensor.dims;
  dims[axis] = size;
  std::size_t offset = 0;
  if (host_rules::is_one_run(strides, begin, bits_of(tensor.dtype), offset))
    return {tensor.dtype,      dims, tensor.data + offset, bytes_of(tensor.dtype, dims), tensor.block,
            tensor.is_borrowed};
  std::byte* data = nullptr;
  Tensor part = new_tensor(pool, tensor.dtype, dims, data);
  if (part.bytes == 0) return part;
  if (bits_of(tensor.dtype) < 8) std::memset(data, 0, part.bytes);
  std::int64_t position = 0;
  for (std::int64_t outer = 0; outer < strides.outer; ++outer) {
    const std::int64_t first = (outer * tensor.dims[axis] + begin) * strides.inner;
    host_rules::copy_piece({tensor.data, first, size * strides.inner}, data, position, bits_of(tensor.dtype));
    position += size * strides.inner;
  }
  return part;
}

inline Tensor row_of(Pool& pool, const Tensor& tensor, std::int64_t index) {
  if (tensor.dims.size() == 0) raise_exception("IndexError", "a tensor without dims has no rows");
  Tensor row = part_of(pool, tensor, 0, host_rules::row_place(index, tensor.dims[0]), 1);
  host_rules::remove_axis(row.dims, 0);
  return row;
}

// The memory of a tensor with one element.
inline const void* single(const Tensor& tensor) {
  if (tensor.count() != 1)
    raise_exception("ValueError",
                    "only a tensor with one element can become a scalar, this is " + text_of(tensor));
  return tensor.data;
}

// A tensor of one element.
template <class Number>
Tensor scalar_tensor(Pool& pool, Number number, std::int32_t dtype, const Dims& dims) {
  std::byte* data = nullptr;
  Tensor tensor = new_tensor(pool, dtype, dims, data);
  write_element(number, dtype, data);
  return tensor;
}

// A row of base draws, of which there are no more behind the last one.
inline Tensor draw_of(Pool& pool, const Tensor& tensor, std::int64_t index, const char* input) {
  check_draws(index, size_along(tensor, 0), input);
  return row_of(pool, tensor, index);
}

}  // namespace dycl::emitted
