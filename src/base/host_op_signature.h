// SPDX-License-Identifier: Apache-2.0
// What each host operation is called, takes and gives, as one table (host_op.cpp). The graph's verifier and
// the package reader both ask it, and the runtime relies on it: after check_host_op no operand is of a
// surprising kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/attribute.h"
#include "base/host_op.h"
#include "base/type.h"

namespace dycl {

enum class OperandKind : std::uint8_t {
  Tensor,
  Bool,  // scalars
  Int,
  Float,
  Number,  // int or float
  Scalar,  // any of them
  Seq,
  Optional,
  Any,
  Nothing,  // as an output: the operation has none
};

enum class AttributeKind : std::uint8_t { Int, Ints, Text, IntOrFloat };

// At most three things, known while compiling.
template <class T>
class UpToThree {
 public:
  constexpr UpToThree() = default;
  constexpr UpToThree(std::initializer_list<T> things) : size_(things.size()) {
    std::copy(things.begin(), things.end(), things_.begin());
  }
  constexpr std::size_t size() const { return size_; }
  constexpr const T& operator[](std::size_t index) const { return things_[index]; }
  constexpr const T* begin() const { return things_.data(); }
  constexpr const T* end() const { return things_.data() + size_; }

 private:
  std::array<T, 3> things_{};
  std::size_t size_ = 0;
};

struct AttributeRule {
  std::string_view name;
  AttributeKind kind = AttributeKind::Int;
  bool required = false;
};

struct HostOpSignature {
  HostOp op = HostOp::Item;
  std::string_view name;
  HostOpFamily family = HostOpFamily::Scalar;
  bool may_raise = false;         // as Python does, see may_raise()
  UpToThree<OperandKind> inputs;  // the required ones first
  std::size_t required_inputs = 0;
  bool variadic = false;                     // the last kind may repeat, or be absent
  OperandKind output = OperandKind::Any;     // exactly one, or Nothing
  UpToThree<AttributeRule> attributes = {};  // no others are allowed
};

const HostOpSignature& signature_of(HostOp op);

// Equal up to sizes: same kind, dtype, device, and the same of elements. Sizes are checked where a
// value crosses a border, not here.
bool same_up_to_sizes(const Type& left, const Type& right);

// What is wrong with one operation, in a few words ("input 1 must be an int"); nullopt when nothing.
std::optional<std::string> check_host_op(HostOp op, const Attributes& attributes,
                                         std::span<const Type* const> inputs,
                                         std::span<const Type* const> outputs);

}  // namespace dycl
