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
    std::pair{HostOp::Lt, std::string_view("lt")},
    std::pair{HostOp::Le, std::string_view("le")},
    std::pair{HostOp::Eq, std::string_view("eq")},
    std::pair{HostOp::Ne, std::string_view("ne")},
    std::pair{HostOp::And, std::string_view("and")},
    std::pair{HostOp::Or, std::string_view("or")},
    std::pair{HostOp::Not, std::string_view("not")},
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
};

}  // namespace

std::string_view name_of(HostOp op) {
  for (const auto& [candidate, name] : kNames)
    if (candidate == op) return name;
  return "?";
}

std::optional<HostOp> host_op_from_name(std::string_view name) {
  for (const auto& [op, candidate] : kNames)
    if (candidate == name) return op;
  return std::nullopt;
}

}  // namespace dycl
