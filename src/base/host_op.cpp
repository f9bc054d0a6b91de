// SPDX-License-Identifier: Apache-2.0
#include "base/host_op.h"

#include <algorithm>
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
    {HostOp::Item, "item", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Scalar, {{"decision", Text}}, Relation::ReadElement, SizeRule::OneElement},
    {HostOp::ToTensor, "to_tensor", HostOpFamily::Tensor, kNeverRaises, {Scalar}, 1, false, Tensor, {{"dtype", Text, true}, {"dims", Ints}}, Relation::StatedDType, SizeRule::StatedSizes},
    {HostOp::Add, "add", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number, {}, Relation::OneKind},
    {HostOp::Sub, "sub", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number, {}, Relation::OneKind},
    {HostOp::Mul, "mul", HostOpFamily::Scalar, kNeverRaises, {Number, Number}, 2, false, Number, {}, Relation::OneKind},
    {HostOp::FloorDiv, "floor_div", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number, {}, Relation::OneKind},
    {HostOp::Mod, "mod", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number, {}, Relation::OneKind},
    {HostOp::TrueDiv, "true_div", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Float, {}, Relation::OneKindOfInputs},
    {HostOp::Pow, "pow", HostOpFamily::Scalar, kRaises, {Number, Number}, 2, false, Number, {}, Relation::Power},
    {HostOp::Neg, "neg", HostOpFamily::Scalar, kNeverRaises, {Number}, 1, false, Number, {}, Relation::OneKind},
    {HostOp::Abs, "abs", HostOpFamily::Scalar, kNeverRaises, {Number}, 1, false, Number, {}, Relation::OneKind},
    {HostOp::Invert, "invert", HostOpFamily::Scalar, kNeverRaises, {Int}, 1, false, Int},
    {HostOp::BitLength, "bit_length", HostOpFamily::Scalar, kNeverRaises, {Int}, 1, false, Int},
    {HostOp::BitAnd, "bit_and", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar, {}, Relation::Bits},
    {HostOp::BitOr, "bit_or", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar, {}, Relation::Bits},
    {HostOp::BitXor, "bit_xor", HostOpFamily::Scalar, kNeverRaises, {Scalar, Scalar}, 2, false, Scalar, {}, Relation::Bits},
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
    {HostOp::Select, "select", HostOpFamily::Scalar, kNeverRaises, {Bool, Scalar, Scalar}, 3, false, Scalar, {}, Relation::Choice},
    {HostOp::Round, "round", HostOpFamily::Scalar, kRaises, {Number, Int}, 1, false, Number, {}, Relation::Rounding},
    {HostOp::Floor, "floor", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Ceil, "ceil", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Trunc, "trunc", HostOpFamily::Scalar, kRaises, {Number}, 1, false, Int},
    {HostOp::Math, "math", HostOpFamily::Scalar, kRaises, {Float, Float}, 1, false, Scalar, {{"function", Text, true}}, Relation::MathFunction},
    {HostOp::ToInt, "to_int", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Int},
    {HostOp::ToFloat, "to_float", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Float},
    {HostOp::ToBool, "to_bool", HostOpFamily::Scalar, kNeverRaises, {Scalar}, 1, false, Bool},
    {HostOp::Const, "const", HostOpFamily::Constant, kNeverRaises, {}, 0, false, Scalar, {{"value", IntOrFloat, true}}, Relation::StatedValue},
    {HostOp::Dim, "dim", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Int, {{"axis", AttributeKind::Int, true}}, Relation::Axis},
    {HostOp::Numel, "numel", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Int},
    {HostOp::SeqEmpty, "seq_empty", HostOpFamily::Sequence, kNeverRaises, {}, 0, false, Seq, {}, Relation::None, SizeRule::FreeSizes},
    {HostOp::SeqOf, "seq_of", HostOpFamily::Sequence, kNeverRaises, {Any}, 0, true, Seq, {}, Relation::HeldValues, SizeRule::HeldValues},
    {HostOp::SeqInsert, "seq_insert", HostOpFamily::Sequence, kNeverRaises, {Seq, Any, Int}, 2, false, Seq, {}, Relation::InsertedValue, SizeRule::InsertedValue},
    {HostOp::SeqErase, "seq_erase", HostOpFamily::Sequence, kNeverRaises, {Seq, Int}, 1, false, Seq, {}, Relation::SameSequence, SizeRule::SameSequence},
    {HostOp::SeqAt, "seq_at", HostOpFamily::Sequence, kNeverRaises, {Seq, Int}, 2, false, Any, {}, Relation::ElementOfInput, SizeRule::ElementOfInput},
    {HostOp::SeqLen, "seq_len", HostOpFamily::Sequence, kNeverRaises, {Seq}, 1, false, Int},
    {HostOp::SeqConcat, "seq_concat", HostOpFamily::Sequence, kNeverRaises, {Seq}, 1, false, Tensor, {{"axis"}, {"new_axis"}, {"dims", Ints}}, Relation::JoinedElements, SizeRule::FreeSizes},
    {HostOp::SeqSplit, "seq_split", HostOpFamily::Sequence, kNeverRaises, {Tensor, Tensor}, 1, false, Seq, {{"axis"}, {"keepdims"}}, Relation::SplitInput, SizeRule::FreeSizes},
    {HostOp::Some, "some", HostOpFamily::Optional, kNeverRaises, {Any}, 1, false, Optional, {}, Relation::HeldValues, SizeRule::HeldValues},
    {HostOp::None, "none", HostOpFamily::Optional, kNeverRaises, {}, 0, false, Optional, {}, Relation::None, SizeRule::FreeSizes},
    {HostOp::HasValue, "has_value", HostOpFamily::Optional, kNeverRaises, {Optional}, 1, false, Bool},
    {HostOp::Unwrap, "unwrap", HostOpFamily::Optional, kNeverRaises, {Optional}, 1, false, Any, {}, Relation::ElementOfInput, SizeRule::ElementOfInput},
    {HostOp::View, "view", HostOpFamily::Tensor, kNeverRaises, {Tensor}, 1, false, Tensor, {{"dims", Ints, true}}, Relation::ViewedSizes, SizeRule::StatedRank},
    {HostOp::Row, "row", HostOpFamily::Tensor, kNeverRaises, {Tensor, Int}, 2, false, Tensor, {{"draws", Text}}, Relation::RowOfInput, SizeRule::FirstAxisGone},
    {HostOp::Check, "check", HostOpFamily::Effect, kRaises, {Any}, 1, false, Nothing, {{"type", Text, true}, {"message", Text, true}}, Relation::CheckedBool, SizeRule::OneElement},
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
// A result with sizes must have a rule for them, or a graph may promise what does not hold.
constexpr bool each_result_has_its_rule() {
  return std::ranges::all_of(kHostOps, [](const HostOpSignature& row) {
    const bool has_sizes = row.output == OperandKind::Tensor || row.output == OperandKind::Seq ||
                           row.output == OperandKind::Optional || row.output == OperandKind::Any;
    return !has_sizes || row.sizes != SizeRule::NoSizes;
  });
}
static_assert(kHostOps.size() == static_cast<std::size_t>(kLastHostOp) + 1, "an operation has no row");
static_assert(each_row_is_in_its_place());
static_assert(each_result_has_its_rule(), "an operation whose result has sizes has no rule for them");

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
