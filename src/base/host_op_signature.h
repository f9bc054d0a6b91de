// SPDX-License-Identifier: Apache-2.0
// What each host operation takes and gives, as one table. The graph's verifier and the package reader
// both ask it, and the runtime relies on it: after check_host_op no operand is of a surprising kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct AttributeRule {
  std::string_view name;
  AttributeKind kind = AttributeKind::Int;
  bool required = false;
};

struct HostOpSignature {
  HostOp op = HostOp::Item;
  std::vector<OperandKind> inputs;  // the required ones first
  std::size_t required_inputs = 0;
  bool variadic = false;                  // the last kind may repeat, or be absent
  OperandKind output = OperandKind::Any;  // exactly one, or Nothing
  std::vector<AttributeRule> attributes;  // no others are allowed
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
