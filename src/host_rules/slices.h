// SPDX-License-Identifier: Apache-2.0
// Cuts tensors along one axis and puts them together, for elements of any width. `Dims` is any list of sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dycl::host_rules {

// Sizes around an axis, in elements. They overflow only beside a size of 0, where nothing is copied.
struct Strides {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
};

// The product of some sizes; 0 if it is too large.
template <class Dims>
std::int64_t product(const Dims& dims, std::size_t begin, std::size_t end) {
  std::int64_t result = 1;
  for (std::size_t axis = begin; axis < end; ++axis)
    if (__builtin_mul_overflow(result, dims[axis], &result)) return 0;
  return result;
}

template <class Dims>
Strides strides_of(const Dims& dims, std::size_t axis) {
  return {product(dims, 0, axis), product(dims, axis + 1, dims.size())};
}

// Consecutive elements of a source, to be put behind those of the piece before.
struct Piece {
  const std::byte* source = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// Sub-byte elements, low bits first; `target` starts as zeros.
inline void copy_packed(const Piece& piece, std::byte* target, std::int64_t position, std::size_t bits) {
  const std::size_t per_byte = 8 / bits;
  const auto mask = static_cast<unsigned>((1u << bits) - 1);
  for (std::int64_t index = 0; index < piece.count; ++index) {
    const auto from = static_cast<std::size_t>(piece.begin + index);
    const auto to = static_cast<std::size_t>(position + index);
    const unsigned byte = std::to_integer<unsigned>(piece.source[from / per_byte]);
    const unsigned element = (byte >> (bits * (from % per_byte))) & mask;
    target[to / per_byte] |= static_cast<std::byte>(element << (bits * (to % per_byte)));
  }
}

inline void copy_piece(const Piece& piece, std::byte* target, std::int64_t position, std::size_t bits) {
  if (bits < 8) return copy_packed(piece, target, position, bits);
  const std::size_t width = bits / 8;
  if (piece.count > 0)
    std::memcpy(target + static_cast<std::size_t>(position) * width,
                piece.source + static_cast<std::size_t>(piece.begin) * width,
                static_cast<std::size_t>(piece.count) * width);
}

// Says whether a part of the tensor is one run of whole bytes in its memory, and where it begins.
inline bool is_one_run(const Strides& strides, std::int64_t begin, std::size_t bits, std::size_t& offset) {
  const std::size_t first = bits * static_cast<std::size_t>(begin * strides.inner);
  offset = first / 8;
  return strides.outer == 1 && first % 8 == 0;
}

template <class Dims>
void remove_axis(Dims& dims, std::size_t axis) {
  const std::size_t rank = dims.size();
  for (std::size_t index = axis; index + 1 < rank; ++index) dims[index] = dims[index + 1];
  dims.resize(rank - 1);
}

template <class Dims>
void add_axis(Dims& dims, std::size_t axis) {
  const std::size_t rank = dims.size();
  dims.resize(rank + 1);
  for (std::size_t index = rank; index > axis; --index) dims[index] = dims[index - 1];
  dims[axis] = 1;
}

}  // namespace dycl::host_rules
