// SPDX-License-Identifier: Apache-2.0
// Python's rules for positions: in lists, along the axes of tensors, and of the sizes of views and parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host_rules/raised.h"

namespace dycl::host_rules {

// A negative index counts from `end`. Returns false if it is outside 0 … last.
inline bool resolve_index(std::int64_t index, std::size_t end, std::size_t last, std::size_t& place) {
  const auto size = static_cast<std::int64_t>(end);
  if (index < -size) return false;
  place = static_cast<std::size_t>(index < 0 ? index + size : index);
  return place <= last;
}

[[noreturn]] inline void raise_index(std::int64_t index, std::size_t size) {
  raise_exception("IndexError", "index " + std::to_string(index) + " is out of range for a sequence of " +
                                    std::to_string(size));
}

// The place of an element of a sequence.
inline std::size_t element_place(std::int64_t index, std::size_t size) {
  std::size_t place = 0;
  if (size == 0 || !resolve_index(index, size, size - 1, place)) raise_index(index, size);
  return place;
}

// A place to insert at: one behind the last element is one, too.
inline std::size_t insertion_place(std::int64_t index, std::size_t size) {
  std::size_t place = 0;
  if (!resolve_index(index, size, size, place)) raise_index(index, size);
  return place;
}

// The number of a row of a tensor whose first axis has this size.
inline std::int64_t row_place(std::int64_t index, std::int64_t rows) {
  if (index < -rows || index >= rows)
    raise_exception("IndexError", "index " + std::to_string(index) + " is out of range for dim 0 of size " +
                                      std::to_string(rows));
  return index < 0 ? index + rows : index;
}

inline bool resolve_axis(std::int64_t axis, std::size_t rank, std::size_t& place) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return false;
  place = static_cast<std::size_t>(axis < 0 ? axis + size : axis);
  return true;
}

// Resolves the sizes that a view asks for, of which one may be -1 (it follows) and 0 copies the size of the
// same axis. Returns false if they do not hold the tensor's elements.
template <class Dims>
bool view_sizes(const std::int64_t* wanted, std::size_t rank, const Dims& from, std::int64_t count,
                Dims& dims) {
  std::size_t open = rank;
  std::int64_t known = 1;
  dims.resize(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    dims[axis] = wanted[axis];
    if (wanted[axis] == -1) {
      open = axis;
      continue;
    }
    if (wanted[axis] == 0) {
      if (axis >= from.size()) return false;
      dims[axis] = from[axis];
    }
    if (dims[axis] < 0 || __builtin_mul_overflow(known, dims[axis], &known)) return false;
  }
  if (open == rank) return known == count;
  if (known == 0 || count % known != 0) return false;
  dims[open] = count / known;
  return true;
}

inline std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

// Checks that the sizes of the parts make up the whole.
inline std::vector<std::int64_t> part_sizes(std::vector<std::int64_t> sizes, std::int64_t extent) {
  std::int64_t left = extent;
  for (const std::int64_t size : sizes) left = size < 0 || size > left || left < 0 ? -1 : left - size;
  if (left != 0)
    raise_exception("ValueError",
                    "sizes [" + joined(sizes) + "] do not split " + std::to_string(extent) + " elements");
  return sizes;
}

// All parts have the same size but perhaps the last.
inline std::vector<std::int64_t> equal_parts(std::int64_t chunk, std::int64_t extent) {
  if (chunk <= 0) raise_exception("ValueError", std::to_string(chunk) + " is no size of a part");
  std::vector<std::int64_t> parts;
  for (std::int64_t begin = 0; begin < extent; begin += std::min(chunk, extent - begin))
    parts.push_back(std::min(chunk, extent - begin));
  return parts;
}

}  // namespace dycl::host_rules
