// SPDX-License-Identifier: Apache-2.0
#include "base/host_op.h"

#include <array>
#include <utility>

namespace dycl {
namespace {

constexpr std::array kNames{
    std::pair{HostOp::Item, std::string_view("item")},
    std::pair{HostOp::ToTensor, std::string_view("to_tensor")},
    std::pair{HostOp::Add, std::string_view("add")},
    std::pair{HostOp::Sub, std::string_view("sub")},
    std::pair{HostOp::Mul, std::string_view("mul")},
    std::pair{HostOp::FloorDiv, std::string_view("floor_div")},
    std::pair{HostOp::Mod, std::string_view("mod")},
    std::pair{HostOp::TrueDiv, std::string_view("true_div")},
    std::pair{HostOp::Pow, std::string_view("pow")},
    std::pair{HostOp::Neg, std::string_view("neg")},
    std::pair{HostOp::Abs, std::string_view("abs")},
    std::pair{HostOp::Invert, std::string_view("invert")},
    std::pair{HostOp::BitAnd, std::string_view("bit_and")},
    std::pair{HostOp::BitOr, std::string_view("bit_or")},
    std::pair{HostOp::BitXor, std::string_view("bit_xor")},
    std::pair{HostOp::Shl, std::string_view("shl")},
    std::pair{HostOp::Shr, std::string_view("shr")},
    std::pair{HostOp::Lt, std::string_view("lt")},
    std::pair{HostOp::Le, std::string_view("le")},
    std::pair{HostOp::Gt, std::string_view("gt")},
    std::pair{HostOp::Ge, std::string_view("ge")},
    std::pair{HostOp::Eq, std::string_view("eq")},
    std::pair{HostOp::Ne, std::string_view("ne")},
    std::pair{HostOp::And, std::string_view("and")},
    std::pair{HostOp::Or, std::string_view("or")},
    std::pair{HostOp::Not, std::string_view("not")},
    std::pair{HostOp::Select, std::string_view("select")},
    std::pair{HostOp::Round, std::string_view("round")},
    std::pair{HostOp::Floor, std::string_view("floor")},
    std::pair{HostOp::Ceil, std::string_view("ceil")},
    std::pair{HostOp::Trunc, std::string_view("trunc")},
    std::pair{HostOp::Math, std::string_view("math")},
    std::pair{HostOp::ToInt, std::string_view("to_int")},
    std::pair{HostOp::ToFloat, std::string_view("to_float")},
    std::pair{HostOp::ToBool, std::string_view("to_bool")},
    std::pair{HostOp::Const, std::string_view("const")},
    std::pair{HostOp::Dim, std::string_view("dim")},
    std::pair{HostOp::Numel, std::string_view("numel")},
    std::pair{HostOp::SeqEmpty, std::string_view("seq_empty")},
    std::pair{HostOp::SeqOf, std::string_view("seq_of")},
    std::pair{HostOp::SeqInsert, std::string_view("seq_insert")},
    std::pair{HostOp::SeqErase, std::string_view("seq_erase")},
    std::pair{HostOp::SeqAt, std::string_view("seq_at")},
    std::pair{HostOp::SeqLen, std::string_view("seq_len")},
    std::pair{HostOp::SeqConcat, std::string_view("seq_concat")},
    std::pair{HostOp::SeqSplit, std::string_view("seq_split")},
    std::pair{HostOp::Some, std::string_view("some")},
    std::pair{HostOp::None, std::string_view("none")},
    std::pair{HostOp::HasValue, std::string_view("has_value")},
    std::pair{HostOp::Unwrap, std::string_view("unwrap")},
    std::pair{HostOp::View, std::string_view("view")},
    std::pair{HostOp::Row, std::string_view("row")},
    std::pair{HostOp::Check, std::string_view("check")},
};

}  // namespace

std::string_view name_of(HostOp op) {
  for (const auto& [candidate, name] : kNames)
    if (candidate == op) return name;
  return "?";
}

bool may_raise(HostOp op) {
  switch (op) {
    case HostOp::FloorDiv:
    case HostOp::Mod:
    case HostOp::TrueDiv:
    case HostOp::Pow:
    case HostOp::Shl:
    case HostOp::Shr:
    case HostOp::Round:
    case HostOp::Floor:
    case HostOp::Ceil:
    case HostOp::Trunc:
    case HostOp::Math:
    case HostOp::Check: return true;
    case HostOp::Item:
    case HostOp::ToTensor:
    case HostOp::Add:
    case HostOp::Sub:
    case HostOp::Mul:
    case HostOp::Neg:
    case HostOp::Abs:
    case HostOp::Invert:
    case HostOp::BitAnd:
    case HostOp::BitOr:
    case HostOp::BitXor:
    case HostOp::Lt:
    case HostOp::Le:
    case HostOp::Gt:
    case HostOp::Ge:
    case HostOp::Eq:
    case HostOp::Ne:
    case HostOp::And:
    case HostOp::Or:
    case HostOp::Not:
    case HostOp::Select:
    case HostOp::ToInt:
    case HostOp::ToFloat:
    case HostOp::ToBool:
    case HostOp::Const:
    case HostOp::Dim:
    case HostOp::Numel:
    case HostOp::SeqEmpty:
    case HostOp::SeqOf:
    case HostOp::SeqInsert:
    case HostOp::SeqErase:
    case HostOp::SeqAt:
    case HostOp::SeqLen:
    case HostOp::SeqConcat:
    case HostOp::SeqSplit:
    case HostOp::Some:
    case HostOp::None:
    case HostOp::HasValue:
    case HostOp::Unwrap:
    case HostOp::View:
    case HostOp::Row: return false;
  }
  return false;
}

std::optional<HostOp> host_op_from_name(std::string_view name) {
  for (const auto& [op, candidate] : kNames)
    if (candidate == name) return op;
  return std::nullopt;
}

}  // namespace dycl
