// SPDX-License-Identifier: Apache-2.0
// The values of a running program: tensors, scalars, sequences, optionals and strings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"
#include "base/scalar.h"
#include "base/tensor_data.h"
#include "base/type.h"
#include "runtime/buffer.h"

namespace dycl::runtime {

// The sizes of a tensor, without heap memory.
class InlineDims {
 public:
  InlineDims() = default;
  // There are at most DYCL_MAX_RANK sizes; the functions that make tensors check it.
  explicit InlineDims(std::span<const std::int64_t> sizes) : rank_(static_cast<std::uint32_t>(sizes.size())) {
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  }
  InlineDims(const InlineDims& other) : InlineDims(other.span()) {}
  InlineDims& operator=(const InlineDims& other) {
    rank_ = other.rank_;
    std::copy_n(other.sizes_.begin(), rank_, sizes_.begin());  // not the unused rest
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return rank_; }
  [[nodiscard]] std::span<const std::int64_t> span() const { return {sizes_.data(), rank_}; }
  [[nodiscard]] const std::int64_t* data() const { return sizes_.data(); }
  std::int64_t operator[](std::size_t axis) const { return sizes_[axis]; }
  std::int64_t& operator[](std::size_t axis) { return sizes_[axis]; }
  void resize(std::size_t rank) { rank_ = static_cast<std::uint32_t>(rank); }  // new sizes are not set
  bool operator==(const InlineDims& other) const { return std::ranges::equal(span(), other.span()); }

 private:
  std::uint32_t rank_ = 0;
  std::array<std::int64_t, DYCL_MAX_RANK> sizes_;  // the first rank_ are valid
};

// A row-major, contiguous tensor. Copies share the bytes. Strings are n+1 int64 offsets, the first 0,
// followed by the characters (see TensorData).
struct RuntimeTensor {
  DType dtype = DType::F32;
  InlineDims dims;
  Device device;
  std::byte* data = nullptr;  // is written only through writable(); may be null if byte_size is 0
  std::size_t byte_size = 0;
  BufferRef buffer;  // keeps `data` alive; is empty for memory borrowed from the caller

  // Makes a tensor over memory that the caller keeps alive and unchanged until run() has returned. It
  // allocates nothing. Outputs never alias the memory; a value that would is copied.
  static Result<RuntimeTensor> borrow(DType dtype, std::span<const std::int64_t> dims, const void* data,
                                      std::size_t byte_size);
  // Makes a tensor over memory that `owner` keeps alive for as long as anything refers to it.
  static Result<RuntimeTensor> share(DType dtype, std::span<const std::int64_t> dims, const void* data,
                                     std::size_t byte_size, std::shared_ptr<const void> owner);
  static Result<RuntimeTensor> share(const TensorPtr& tensor);

  [[nodiscard]] std::int64_t count() const { return element_count(dims.span()).value_or(0); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data, byte_size}; }
  // Says that nobody else uses the bytes: changing them changes no weight, no input and no other value.
  [[nodiscard]] bool writable() const;
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(data);
  }
};

class RuntimeValue;

// The elements of a sequence. Copies of the value share them; they are changed in place if they are not
// shared.
class SequenceNode : public Counted {
 public:
  std::vector<RuntimeValue> items;
  BufferPool* pool = nullptr;
  SequenceNode* next = nullptr;
};
void recycle(SequenceNode* node) noexcept;
using SequenceRef = CountedRef<SequenceNode>;

struct NoValue {
  bool operator==(const NoValue&) const = default;
};

// One value. An optional that holds something is that value itself; an empty one, and an input that
// is left out, is NoValue (optionals of optionals do not exist: load refuses them).
class RuntimeValue : public std::variant<NoValue, RuntimeTensor, Scalar, SequenceRef, std::string> {
 public:
  using variant::variant;

  static RuntimeValue sequence(std::vector<RuntimeValue> items);

  [[nodiscard]] bool has_value() const { return index() != 0; }
  [[nodiscard]] const RuntimeTensor* tensor() const { return std::get_if<RuntimeTensor>(this); }
  [[nodiscard]] const Scalar* scalar() const { return std::get_if<Scalar>(this); }
  [[nodiscard]] const SequenceRef* sequence_ref() const { return std::get_if<SequenceRef>(this); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(this); }
  // Returns the elements, or nullptr if this is not a sequence.
  [[nodiscard]] const std::vector<RuntimeValue>* items() const;
};

// Returns the value's own type for messages: "f32[2,3]", "int", "seq of 4", "none".
std::string describe(const RuntimeValue& value);

// The address of a tensor without elements, which may have no memory: vendors require an address.
alignas(kBufferAlignment) inline constexpr std::byte kNoElements[kBufferAlignment] = {};

// Returns the tensor as plugins take it; it is valid as long as the tensor.
inline DyclTensor view_of(const RuntimeTensor& tensor) {
  return {static_cast<std::int32_t>(tensor.dtype),
          static_cast<std::int32_t>(tensor.dims.size()),
          tensor.dims.data(),
          tensor.data == nullptr ? kNoElements : tensor.data,
          tensor.byte_size,
          static_cast<std::int32_t>(tensor.device.kind),
          tensor.device.index};
}

// Copies the tensor, so that the bytes belong to the result; for the compiler's types, tests and printing.
TensorData to_tensor_data(const RuntimeTensor& tensor);

}  // namespace dycl::runtime
