// SPDX-License-Identifier: Apache-2.0
#include "pipeline/refused_operation.h"

#include <algorithm>
#include <cctype>

namespace dycl {
namespace {

bool is_part_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_a_word(text[at - 1]);
    const bool ends = end == text.size() || !is_part_of_a_word(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

bool touches_named_dtype(const Hcfg& graph, const TensorOp& op, std::string_view reason) {
  const auto named = [&](ValueId value) {
    const TensorType* type = value.valid() ? graph.type_of(value).tensor() : nullptr;
    return type != nullptr && has_word(reason, name_of(type->dtype));
  };
  return std::ranges::any_of(op.inputs, named) || std::ranges::any_of(op.outputs, named);
}

}  // namespace

const TensorOp& refused_operation(const Hcfg& graph, const SubnetStep& step, std::string_view reason) {
  const TensorOp* found = nullptr;
  for (const TensorOp& op : step.ops) {
    if (op.name.empty() || !has_word(reason, op.name)) continue;
    if (touches_named_dtype(graph, op, reason)) return op;
    if (found == nullptr) found = &op;
  }
  return found == nullptr ? step.ops.front() : *found;
}

}  // namespace dycl
