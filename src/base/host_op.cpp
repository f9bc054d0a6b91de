// SPDX-License-Identifier: Apache-2.0
#include "base/host_op.h"

#include <array>

#include "base/host_op_signature.h"
#include "base/result.h"

namespace dycl {
namespace {

// The rows name kinds of operands by their bare names, which would hide types elsewhere.
namespace rows {

using enum OperandKind;
constexpr AttributeKind Ints = AttributeKind::Ints;
constexpr AttributeKind Text = AttributeKind::Text;
constexpr AttributeKind IntOrFloat = AttributeKind::IntOrFloat;

constexpr bool kRaises = true;
constexpr bool kNeverRaises = false;

// One row for each operation, in the order of the enum.
// clang-format off
constexpr std::array kHostOps = std::to_array<HostOpSignature>({
    {HostOp::Item, "item", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Scalar, {{"decision", Text}}},
    {HostOp::ToTensor, "to_tensor", HostOpFamily::Tensor, kNeverRaises, {Scalar}, 1, false, Tensor, {{"dtype", Text, true}, {"dims", Ints}}},
    {HostOp::Add, "add", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number},
    {HostOp::Sub, "sub", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number},
    {HostOp::Mul, "mul", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number},
    {HostOp::FloorDiv, "floor_div", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number},
    {HostOp::Mod, "mod", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number},
    {HostOp::TrueDiv, "true_div", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Float},
    {HostOp::Pow, "pow", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number},
    {HostOp::Neg, "neg", HostOpFamily::Scalar, kNeverRaises, {Number}, 1, false, Number},
    {HostOp::Abs, "abs", HostOpFamily::Scalar, kNeverRaises, {Number}, 1, false, Number},
    {HostOp::Invert, "invert", HostOpFamily::Scalar, kNeverRaises, {Int}, 1, false, Int},
    {HostOp::BitLength, "bit_length", HostOpFamily::Scalar, kNeverRaises, {Int}, 1, false, Int},
    {HostOp::BitAnd, "bit_and", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar},
    {HostOp::BitOr, "bit_or", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar},
    {HostOp::BitXor, "bit_xor", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar},
    {HostOp::Shl, "shl", HostOpFamily::Scalar, kRaises, {Int, Int}, 2, false, Int},
    {HostOp::Shr, "shr", HostOpFamily::Scalar, kRaises, {Int, Int}, 2, false, Int},
    {HostOp::Lt, "lt", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::Le, "le", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::Gt, "gt", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::Ge, "ge", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::Eq, "eq", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::Ne, "ne", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Bool},
    {HostOp::And, "and", HostOpFamily::Scalar, kNeverRaises, {Bool, Bool}, 2, false, Bool},
    {HostOp::Or, "or", HostOpFamily::Scalar, kNeverRaises, {Bool, Bool}, 2, false, Bool},
    {HostOp::Not, "not", HostOpFamily::Scalar, kNeverRaises, {Bool}, 1, false, Bool},
    {HostOp::Select, "select", HostOpFamily::Scalar, kNeverRaises, {Bool, Scalar, Scalar}, 3, false, Scalar},
    {HostOp::Round, "round", HostOpFamily::Scalar, kRaises, {Number, Int}, 1, false, Number},
    {HostOp::Floor, "floor", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Ceil, "ceil", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Trunc, "trunc", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Math, "math", HostOpFamily::Scalar, kRaises, {Float, Float}, 1, false, Scalar, {{"function", Text, true}}},
    {HostOp::ToInt, "to_int", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Int},
    {HostOp::ToFloat, "to_float", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Float},
    {HostOp::ToBool, "to_bool", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Bool},
    {HostOp::Const, "const", HostOpFamily::Constant, kNeverRaises, {}, 0, false, Scalar, {{"value", IntOrFloat, true}}},
    {HostOp::Dim, "dim", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Int, {{"axis", AttributeKind::Int, true}}},
    {HostOp::Numel, "numel", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Int},
    {HostOp::SeqEmpty, "seq_empty", HostOpFamily::Sequence, kNeverRaises, {}, 0, false, Seq},
    {HostOp::SeqOf, "seq_of", HostOpFamily::Sequence, kNeverRaises, {Any}, 0, true, Seq},
    {HostOp::SeqInsert, "seq_insert", HostOpFamily::Sequence, kNeverRaises, {Seq, Any, Int}, 2, false, Seq},
    {HostOp::SeqErase, "seq_erase", HostOpFamily::Sequence, kNeverRaises, {Seq, Int}, 1, false, Seq},
    {HostOp::SeqAt, "seq_at", HostOpFamily::Sequence, kNeverRaises, {Seq, Int}, 2, false, Any},
    {HostOp::SeqLen, "seq_len", HostOpFamily::Sequence, kNeverRaises, {Seq}, 1, false, Int},
    {HostOp::SeqConcat, "seq_concat", HostOpFamily::Sequence, kNeverRaises, {Seq}, 1, false, Tensor, {{"axis"}, {"new_axis"}, {"dims", Ints}}},
    {HostOp::SeqSplit, "seq_split", HostOpFamily::Sequence, kNeverRaises, {Tensor, Tensor}, 1, false, Seq, {{"axis"}, {"keepdims"}}},
    {HostOp::Some, "some", HostOpFamily::Optional, kNeverRaises, {Any}, 1, false, Optional},
    {HostOp::None, "none", HostOpFamily::Optional, kNeverRaises, {}, 0, false, Optional},
    {HostOp::HasValue, "has_value", HostOpFamily::Optional, kNeverRaises, {Optional}, 1, false, Bool},
    {HostOp::Unwrap, "unwrap", HostOpFamily::Optional, kNeverRaises, {Optional}, 1, false, Any},
    {HostOp::View, "view", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Tensor, {{"dims", Ints, true}}},
    {HostOp::Row, "row", HostOpFamily::Tensor, kNeverRaises, {Tensor, Int}, 2, false, Tensor, {{"draws", Text}}},
    {HostOp::Check, "check", HostOpFamily::Effect, kRaises, {Any}, 1, false, Nothing, {{"type", Text, true}, {"message", Text, true}}},
    {HostOp::Write, "write", HostOpFamily::Effect, kNeverRaises, {Tensor}, 1, false, Nothing, {{"input", AttributeKind::Int, true}}},
});
// clang-format on

}  // namespace rows

using rows::kHostOps;

constexpr bool each_row_is_in_its_place() {
  for (std::size_t number = 0; number < kHostOps.size(); ++number)
    if (kHostOps[number].op != static_cast<HostOp>(number)) return false;
  return true;
}
static_assert(kHostOps.size() == static_cast<std::size_t>(kLastHostOp) + 1, "an operation has no row");
static_assert(each_row_is_in_its_place());

}  // namespace

const HostOpSignature& signature_of(HostOp op) {
  const auto number = static_cast<std::size_t>(op);
  if (number >= kHostOps.size()) internal_error("a host operation that is not in the list");
  return kHostOps[number];
}

std::string_view name_of(HostOp op) { return signature_of(op).name; }
HostOpFamily family_of(HostOp op) { return signature_of(op).family; }
bool may_raise(HostOp op) { return signature_of(op).may_raise; }

std::optional<HostOp> host_op_from_name(std::string_view name) {
  for (const HostOpSignature& row : kHostOps)
    if (row.name == name) return row.op;
  return std::nullopt;
}

}  // namespace dycl
