// SPDX-License-Identifier: Apache-2.0
// Displays of lists, tuples, sets and dicts, and formatted strings.
#include <algorithm>

#include "import_python/lowering.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

namespace {

std::size_t leading_plain(const std::vector<Node>& elements) {
  const auto star = std::ranges::find(elements, NodeKind::Starred, &Node::kind);
  return static_cast<std::size_t>(star - elements.begin());
}

// CPython computes it when it compiles the file.
bool is_folded(Node node) {
  switch (node.kind()) {
    case NodeKind::Constant: return true;
    case NodeKind::UnaryOp: return is_folded(node.child("operand"));
    case NodeKind::BinOp: return is_folded(node.child("left")) && is_folded(node.child("right"));
    case NodeKind::Tuple: return std::ranges::all_of(node.children("elts"), is_folded);
    default: return false;
  }
}

constexpr std::size_t kFewestFolded = 3;  // elements of a set that CPython keeps as one constant

}  // namespace

std::vector<RegisterId> Lowering::lower_all(const std::vector<Node>& expressions) {
  std::vector<RegisterId> values;
  for (const Node expression : expressions) values.push_back(lower(expression));
  return values;
}

// [a, b, *c, d]: a list of a and b, then extended and appended to, in order.
RegisterId Lowering::lower_list(const std::vector<Node>& elements) {
  const std::size_t plain = leading_plain(elements);
  const auto first = elements.begin();
  const RegisterId list =
      builder_.emit(Op::BuildList, lower_all({first, first + static_cast<std::ptrdiff_t>(plain)}));
  for (std::size_t i = plain; i < elements.size(); ++i) {
    if (elements[i].kind() == NodeKind::Starred) {
      builder_.effect(Op::ListExtend, {list, lower(elements[i].child("value"))});
    } else {
      builder_.effect(Op::ListAppend, {list, lower(elements[i])});
    }
  }
  return list;
}

RegisterId Lowering::lower_tuple(const std::vector<Node>& elements) {
  if (leading_plain(elements) == elements.size()) return builder_.emit(Op::BuildTuple, lower_all(elements));
  return builder_.emit(Op::ListToTuple, {lower_list(elements)});
}

// What a loop walks: of a set of constants CPython walks a frozenset that it made when it compiled the file.
RegisterId Lowering::lower_walked(Node node) {
  const bool is_set = node.kind() == NodeKind::Set && std::ranges::all_of(node.children("elts"), is_folded);
  if (!is_set) return lower(node);
  const At at(*this, node);
  return builder_.emit(
      Instruction{.op = Op::BuildSet, .operands = lower_all(node.children("elts")), .index = 2});
}

RegisterId Lowering::lower_set(const std::vector<Node>& elements) {
  if (elements.size() >= kFewestFolded && std::ranges::all_of(elements, is_folded))
    return builder_.emit(Instruction{.op = Op::BuildSet, .operands = lower_all(elements), .index = 1});
  const std::size_t plain = leading_plain(elements);
  const auto first = elements.begin();
  const RegisterId set =
      builder_.emit(Op::BuildSet, lower_all({first, first + static_cast<std::ptrdiff_t>(plain)}));
  for (std::size_t i = plain; i < elements.size(); ++i) {
    if (elements[i].kind() == NodeKind::Starred) {
      builder_.effect(Op::SetUpdate, {set, lower(elements[i].child("value"))});
    } else {
      builder_.effect(Op::SetAdd, {set, lower(elements[i])});
    }
  }
  return set;
}

RegisterId Lowering::lower_dict(Node node) {
  const std::vector<Node> keys = node.children("keys");
  const std::vector<Node> values = node.children("values");
  const auto spread = std::ranges::find_if(keys, [](Node key) { return !key.present(); });
  const auto plain = static_cast<std::size_t>(spread - keys.begin());
  std::vector<RegisterId> pairs;
  for (std::size_t i = 0; i < plain; ++i) {
    pairs.push_back(lower(keys[i]));
    pairs.push_back(lower(values[i]));
  }
  const RegisterId dict = builder_.emit(Op::BuildDict, std::move(pairs));
  for (std::size_t i = plain; i < keys.size(); ++i) {
    if (keys[i].present()) {
      const RegisterId key = lower(keys[i]);
      builder_.effect(Op::DictSet, {dict, key, lower(values[i])});
    } else {
      builder_.effect(Op::DictUpdate, {dict, lower(values[i])});
    }
  }
  return dict;
}

RegisterId Lowering::lower_joined_string(Node node) {
  const std::vector<Node> parts = node.children("values");
  if (parts.empty()) return builder_.constant(nb::str(""));
  std::vector<RegisterId> strings = lower_all(parts);
  return strings.size() == 1 ? strings.front() : builder_.emit(Op::BuildString, std::move(strings));
}

RegisterId Lowering::lower_formatted_value(Node node) {
  Instruction instruction{.op = Op::FormatValue};
  const int conversion = nb::cast<int>(node.value_of("conversion"));
  instruction.index = conversion < 0 ? 0 : static_cast<std::uint32_t>(conversion);
  instruction.operands.push_back(lower(node.child("value")));
  if (const Node spec = node.child("format_spec"); spec.present())
    instruction.operands.push_back(lower(spec));
  return builder_.emit(std::move(instruction));
}

}  // namespace dycl::import_python
