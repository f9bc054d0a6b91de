// SPDX-License-Identifier: Apache-2.0
#include "import_python/ast_node.h"

#include <nanobind/stl/string.h>

#include <iterator>
#include <unordered_map>
#include <utility>

namespace dycl::import_python {
namespace {

namespace nb = nanobind;

using Entry = std::pair<std::string_view, NodeKind>;
constexpr Entry kKinds[] = {
    {"AnnAssign", NodeKind::AnnAssign},
    {"Assert", NodeKind::Assert},
    {"Assign", NodeKind::Assign},
    {"AsyncFor", NodeKind::AsyncFor},
    {"AsyncFunctionDef", NodeKind::AsyncFunctionDef},
    {"AsyncWith", NodeKind::AsyncWith},
    {"AugAssign", NodeKind::AugAssign},
    {"Break", NodeKind::Break},
    {"ClassDef", NodeKind::ClassDef},
    {"Continue", NodeKind::Continue},
    {"Delete", NodeKind::Delete},
    {"Expr", NodeKind::Expr},
    {"For", NodeKind::For},
    {"FunctionDef", NodeKind::FunctionDef},
    {"Global", NodeKind::Global},
    {"If", NodeKind::If},
    {"Import", NodeKind::Import},
    {"ImportFrom", NodeKind::ImportFrom},
    {"Match", NodeKind::Match},
    {"Nonlocal", NodeKind::Nonlocal},
    {"Pass", NodeKind::Pass},
    {"Raise", NodeKind::Raise},
    {"Return", NodeKind::Return},
    {"Try", NodeKind::Try},
    {"TryStar", NodeKind::TryStar},
    {"TypeAlias", NodeKind::TypeAlias},
    {"While", NodeKind::While},
    {"With", NodeKind::With},
    {"Attribute", NodeKind::Attribute},
    {"Await", NodeKind::Await},
    {"BinOp", NodeKind::BinOp},
    {"BoolOp", NodeKind::BoolOp},
    {"Call", NodeKind::Call},
    {"Compare", NodeKind::Compare},
    {"Constant", NodeKind::Constant},
    {"Dict", NodeKind::Dict},
    {"DictComp", NodeKind::DictComp},
    {"FormattedValue", NodeKind::FormattedValue},
    {"GeneratorExp", NodeKind::GeneratorExp},
    {"IfExp", NodeKind::IfExp},
    {"JoinedStr", NodeKind::JoinedStr},
    {"Lambda", NodeKind::Lambda},
    {"List", NodeKind::List},
    {"ListComp", NodeKind::ListComp},
    {"Name", NodeKind::Name},
    {"NamedExpr", NodeKind::NamedExpr},
    {"Set", NodeKind::Set},
    {"SetComp", NodeKind::SetComp},
    {"Slice", NodeKind::Slice},
    {"Starred", NodeKind::Starred},
    {"Subscript", NodeKind::Subscript},
    {"Tuple", NodeKind::Tuple},
    {"UnaryOp", NodeKind::UnaryOp},
    {"Yield", NodeKind::Yield},
    {"YieldFrom", NodeKind::YieldFrom},
    {"MatchAs", NodeKind::MatchAs},
    {"MatchClass", NodeKind::MatchClass},
    {"MatchMapping", NodeKind::MatchMapping},
    {"MatchOr", NodeKind::MatchOr},
    {"MatchSequence", NodeKind::MatchSequence},
    {"MatchSingleton", NodeKind::MatchSingleton},
    {"MatchStar", NodeKind::MatchStar},
    {"MatchValue", NodeKind::MatchValue},
    {"ExceptHandler", NodeKind::ExceptHandler},
    {"Load", NodeKind::Load},
};

bool is_node(nb::handle object) { return nb::hasattr(object, "_fields"); }

}  // namespace

std::string_view Node::type_name() const {
  const std::string_view name = Py_TYPE(object_.ptr())->tp_name;
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

NodeKind Node::kind() const {
  if (!present()) return NodeKind::Other;
  static const std::unordered_map<std::string_view, NodeKind> kinds(std::begin(kKinds), std::end(kKinds));
  const auto found = kinds.find(type_name());
  return found == kinds.end() ? NodeKind::Other : found->second;
}

nb::object Node::value_of(const char* field) const { return nb::getattr(object_, field, nb::none()); }

Node Node::child(const char* field) const { return Node(value_of(field)); }

std::vector<Node> Node::children(const char* field) const {
  std::vector<Node> nodes;
  const nb::object list = value_of(field);
  if (list.is_none()) return nodes;
  for (const nb::handle element : list) nodes.emplace_back(element);
  return nodes;
}

std::string Node::text(const char* field) const {
  const nb::object value = value_of(field);
  return value.is_none() ? std::string() : nb::cast<std::string>(value);
}

std::vector<std::string> Node::texts(const char* field) const {
  std::vector<std::string> found;
  for (const nb::handle element : value_of(field)) found.push_back(nb::cast<std::string>(element));
  return found;
}

std::uint32_t Node::number(const char* field) const {
  const nb::object value = value_of(field);
  return value.is_none() ? 0 : nb::cast<std::uint32_t>(value);
}

std::vector<Node> Node::all_children() const {
  std::vector<Node> found;
  for (const nb::handle field : object_.attr("_fields")) {
    const nb::object value = nb::getattr(object_, field, nb::none());
    if (nb::isinstance<nb::list>(value)) {
      for (const nb::handle element : value) {
        if (is_node(element)) found.emplace_back(element);
      }
    } else if (is_node(value)) {
      found.emplace_back(value);
    }
  }
  return found;
}

bool is_comprehension(NodeKind kind) {
  return kind == NodeKind::ListComp || kind == NodeKind::SetComp || kind == NodeKind::DictComp ||
         kind == NodeKind::GeneratorExp;
}

}  // namespace dycl::import_python
