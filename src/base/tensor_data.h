// SPDX-License-Identifier: Apache-2.0
// A tensor's contents at compile time: constants, weights, test values.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace dycl {

// The data is immutable once it is shared. `bytes` is row-major, little-endian, sub-byte types packed low
// bits first. A string tensor of n elements holds n+1 int64 offsets followed by the characters, which is the
// form strings have in packages, at the backend border and in the runtime too.
struct TensorData {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive: a vector, a file that was read, …

  [[nodiscard]] std::int64_t count() const;
  bool operator==(const TensorData& other) const;  // by contents, bit for bit
};

using TensorPtr = std::shared_ptr<const TensorData>;

TensorData make_tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<std::byte> bytes);
TensorData make_string_tensor(std::vector<std::int64_t> dims, std::span<const std::string> strings);

template <class T>
TensorData make_tensor_of(DType dtype, std::vector<std::int64_t> dims, std::span<const T> values) {
  const auto raw = std::as_bytes(values);
  return make_tensor(dtype, std::move(dims), {raw.begin(), raw.end()});
}

// Returns the strings of a string tensor. Fails if offsets are not monotone or leave the buffer.
Result<std::vector<std::string>> strings_of(const TensorData& tensor);

// Returns the product of the sizes; nullopt if one is negative or the product is beyond int64.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims);

}  // namespace dycl
