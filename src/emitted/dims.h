// SPDX-License-Identifier: Apache-2.0
// The sizes of a tensor, and how many bytes they make.
#pragma once

#include <dycl/tensors.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>

#include "host_rules/slices.h"

namespace dycl::emitted {

// How many bits an element takes; `dtype` is a number of ONNX's TensorProto.DataType.
inline std::size_t bits_of(std::int32_t dtype) {
  switch (dtype) {
    case 25:
    case 26: return 2;
    case 21:
    case 22:
    case 23: return 4;
    case 2:
    case 3:
    case 9:
    case 17:
    case 18:
    case 19:
    case 20:
    case 24: return 8;
    case 4:
    case 5:
    case 10:
    case 16: return 16;
    case 1:
    case 6:
    case 12: return 32;
    case 15: return 128;
    default: return 64;
  }
}

// The sizes of a tensor, without memory of their own.
class Dims {
 public:
  Dims() = default;
  Dims(const std::int64_t* sizes, std::size_t rank) : rank_(rank) {
    std::copy_n(sizes, rank, sizes_.begin());
  }
  Dims(std::initializer_list<std::int64_t> sizes) : Dims(sizes.begin(), sizes.size()) {}
  Dims(const Dims& other) : Dims(other.data(), other.rank_) {}
  Dims& operator=(const Dims& other) {
    rank_ = other.rank_;
    std::copy_n(other.data(), rank_, sizes_.begin());
    return *this;
  }

  std::size_t size() const { return rank_; }
  const std::int64_t* data() const { return sizes_.data(); }
  std::int64_t operator[](std::size_t axis) const { return sizes_[axis]; }
  std::int64_t& operator[](std::size_t axis) { return sizes_[axis]; }
  void resize(std::size_t rank) { rank_ = rank; }  // new sizes are not set
  bool operator==(const Dims& other) const {
    return rank_ == other.rank_ && std::equal(data(), data() + rank_, other.data());
  }

 private:
  std::size_t rank_ = 0;
  std::array<std::int64_t, DYCL_MAX_RANK> sizes_;  // the first rank_ are valid
};

inline std::int64_t count_of(const Dims& dims) { return host_rules::product(dims, 0, dims.size()); }

// The bytes of a tensor with these sizes. Throws std::bad_alloc if there cannot be so many.
inline std::size_t bytes_of(std::int32_t dtype, const Dims& dims) {
  std::int64_t bits = static_cast<std::int64_t>(bits_of(dtype));
  bool is_empty = false;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) is_empty = is_empty || dims[axis] == 0;
  if (is_empty) return 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] < 0 || __builtin_mul_overflow(bits, dims[axis], &bits)) throw std::bad_alloc();
  return (static_cast<std::size_t>(bits) + 7) / 8;
}

// A size that follows from others: constant + the sum of factors times sizes; -1 if one is not known, or if
// it is too large.
inline std::int64_t size_from(std::int64_t constant,
                              std::initializer_list<std::pair<std::int64_t, std::int64_t>> terms) {
  for (const auto& [factor, size] : terms) {
    std::int64_t product = 0;
    if (size < 0 || __builtin_mul_overflow(factor, size, &product) ||
        __builtin_add_overflow(constant, product, &constant))
      return -1;
  }
  return constant;
}

}  // namespace dycl::emitted
