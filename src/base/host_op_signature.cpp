// SPDX-License-Identifier: Apache-2.0
#include "base/host_op_signature.h"

#include <utility>

#include "base/result.h"

namespace dycl {
namespace {

using enum OperandKind;

void add_scalar_signatures(std::vector<HostOpSignature>& table) {
  for (const HostOp op : {HostOp::Add, HostOp::Sub, HostOp::Mul, HostOp::FloorDiv, HostOp::Mod, HostOp::Pow})
    table.push_back({op, {Number, Number}, 2, false, Number, {}});
  table.push_back({HostOp::TrueDiv, {Number, Number}, 2, false, Float, {}});
  for (const HostOp op : {HostOp::Neg, HostOp::Abs}) table.push_back({op, {Number}, 1, false, Number, {}});
  table.push_back({HostOp::Invert, {Int}, 1, false, Int, {}});
  for (const HostOp op : {HostOp::BitAnd, HostOp::BitOr, HostOp::BitXor})
    table.push_back({op, {Scalar, Scalar}, 2, false, Scalar, {}});
  for (const HostOp op : {HostOp::Shl, HostOp::Shr}) table.push_back({op, {Int, Int}, 2, false, Int, {}});
  for (const HostOp op : {HostOp::Lt, HostOp::Le, HostOp::Gt, HostOp::Ge, HostOp::Eq, HostOp::Ne})
    table.push_back({op, {Scalar, Scalar}, 2, false, Bool, {}});
  table.push_back({HostOp::Select, {Bool, Scalar, Scalar}, 3, false, Scalar, {}});
  table.push_back({HostOp::Round, {Number, Int}, 1, false, Number, {}});
  for (const HostOp op : {HostOp::Floor, HostOp::Ceil, HostOp::Trunc})
    table.push_back({op, {Number}, 1, false, Int, {}});
  table.push_back(
      {HostOp::Math, {Float, Float}, 1, false, Scalar, {{"function", AttributeKind::Text, true}}});
}

std::vector<HostOpSignature> make_signatures() {
  const AttributeRule axis{"axis", AttributeKind::Int, false};
  std::vector<HostOpSignature> table{
      {HostOp::Item, {Tensor}, 1, false, Scalar, {{"decision", AttributeKind::Text, false}}},
      {HostOp::ToTensor,
       {Scalar},
       1,
       false,
       Tensor,
       {{"dtype", AttributeKind::Text, true}, {"dims", AttributeKind::Ints, false}}},
      {HostOp::And, {Bool, Bool}, 2, false, Bool, {}},
      {HostOp::Or, {Bool, Bool}, 2, false, Bool, {}},
      {HostOp::Not, {Bool}, 1, false, Bool, {}},
      {HostOp::ToInt, {Scalar}, 1, false, Int, {}},
      {HostOp::ToFloat, {Scalar}, 1, false, Float, {}},
      {HostOp::ToBool, {Scalar}, 1, false, Bool, {}},
      {HostOp::Const, {}, 0, false, Scalar, {{"value", AttributeKind::IntOrFloat, true}}},
      {HostOp::Dim, {Tensor}, 1, false, Int, {{"axis", AttributeKind::Int, true}}},
      {HostOp::Numel, {Tensor}, 1, false, Int, {}},
      {HostOp::SeqEmpty, {}, 0, false, Seq, {}},
      {HostOp::SeqOf, {Any}, 0, true, Seq, {}},
      {HostOp::SeqInsert, {Seq, Any, Int}, 2, false, Seq, {}},
      {HostOp::SeqErase, {Seq, Int}, 1, false, Seq, {}},
      {HostOp::SeqAt, {Seq, Int}, 2, false, Any, {}},
      {HostOp::SeqLen, {Seq}, 1, false, Int, {}},
      {HostOp::SeqConcat,
       {Seq},
       1,
       false,
       Tensor,
       {axis, {"new_axis", AttributeKind::Int, false}, {"dims", AttributeKind::Ints, false}}},
      {HostOp::SeqSplit, {Tensor, Tensor}, 1, false, Seq, {axis, {"keepdims", AttributeKind::Int, false}}},
      {HostOp::Some, {Any}, 1, false, Optional, {}},
      {HostOp::None, {}, 0, false, Optional, {}},
      {HostOp::HasValue, {Optional}, 1, false, Bool, {}},
      {HostOp::Unwrap, {Optional}, 1, false, Any, {}},
      {HostOp::View, {Tensor}, 1, false, Tensor, {{"dims", AttributeKind::Ints, true}}},
      {HostOp::Row, {Tensor, Int}, 2, false, Tensor, {}},
      {HostOp::Check,
       {Any},
       1,
       false,
       Nothing,
       {{"type", AttributeKind::Text, true}, {"message", AttributeKind::Text, true}}},
  };
  add_scalar_signatures(table);
  return table;
}
}  // namespace

const HostOpSignature& signature_of(HostOp op) {
  static const std::vector<HostOpSignature> kByNumber = [] {
    std::vector<HostOpSignature> by_number(static_cast<std::size_t>(kLastHostOp) + 1);
    for (HostOpSignature& row : make_signatures())
      by_number[static_cast<std::size_t>(row.op)] = std::move(row);
    return by_number;
  }();
  const auto number = static_cast<std::size_t>(op);
  if (number >= kByNumber.size()) internal_error("a host operation that is not in the list");
  return kByNumber[number];
}

}  // namespace dycl
