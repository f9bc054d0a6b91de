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

// How the types and attributes of an operation depend on each other, beyond what their kinds say.
enum class Relation : std::uint8_t {
  None,
  StatedValue,      // the attribute value is of the output's kind
  OneKind,          // inputs and output are of one kind
  OneKindOfInputs,  // the inputs are of one kind
  Power,            // the inputs are of one kind, which the output has too unless they are ints
  Bits,             // inputs and output are ints, or bools
  Choice,           // inputs 1 and 2 are of the output's kind
  Rounding,         // with digits the input keeps its kind, without it gives an int
  MathFunction,     // what the attribute function takes and gives
  ReadElement,      // the tensor's elements are scalars; the attribute decision is a known one
  StatedDType,      // the attribute dtype is the output's
  Axis,             // the attribute axis is one of the input's
  ViewedSizes,      // the attribute dims holds sizes, and the element type stays
  RowOfInput,       // the output's element type is the input's
  HeldValues,       // the inputs are elements of the output
  InsertedValue,    // input 1 is an element of input 0, whose type the output has
  SameSequence,     // the output has the type of input 0
  ElementOfInput,   // the output is an element of input 0
  JoinedElements,   // the elements have the output's element type; the attributes fit
  SplitInput,       // the elements of the output have the input's element type; the attributes fit
  CheckedBool,      // the input is a bool, or a tensor of bools; the attribute type is not empty
};

// What the sizes in the types of an operation must be. The graph's verifier checks it.
enum class SizeRule : std::uint8_t {
  NoSizes,         // the result has none, and those of the operands are free
  FreeSizes,       // the result may promise any, which hold or the operation raises
  OneElement,      // input 0 has one element, if it is a tensor
  StatedSizes,     // the result has the sizes of the attribute dims
  StatedRank,      // the result has the rank of the attribute dims
  FirstAxisGone,   // the result has the sizes of input 0 without the first
  HeldValues,      // the inputs fit the element's type of the output
  InsertedValue,   // input 0 fits the output, and input 1 its element's type
  SameSequence,    // input 0 fits the output
  ElementOfInput,  // the element's type of input 0 fits the output
};

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
  Relation relation = Relation::None;
  SizeRule sizes = SizeRule::NoSizes;
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
