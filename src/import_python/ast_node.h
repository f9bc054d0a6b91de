// SPDX-License-Identifier: Apache-2.0
// A view of one node of CPython's `ast`. The tree is kept alive by its SourceFile.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dycl::import_python {

// The node types of Python 3.11 to 3.13 that the importer tells apart; others are Other.
enum class NodeKind : std::uint8_t {
  Other,
  // Statements.
  AnnAssign,
  Assert,
  Assign,
  AsyncFor,
  AsyncFunctionDef,
  AsyncWith,
  AugAssign,
  Break,
  ClassDef,
  Continue,
  Delete,
  Expr,
  For,
  FunctionDef,
  Global,
  If,
  Import,
  ImportFrom,
  Match,
  Nonlocal,
  Pass,
  Raise,
  Return,
  Try,
  TryStar,
  TypeAlias,
  While,
  With,
  // Expressions.
  Attribute,
  Await,
  BinOp,
  BoolOp,
  Call,
  Compare,
  Constant,
  Dict,
  DictComp,
  FormattedValue,
  GeneratorExp,
  IfExp,
  JoinedStr,
  Lambda,
  List,
  ListComp,
  Name,
  NamedExpr,
  Set,
  SetComp,
  Slice,
  Starred,
  Subscript,
  Tuple,
  UnaryOp,
  Yield,
  YieldFrom,
  // Patterns.
  MatchAs,
  MatchClass,
  MatchMapping,
  MatchOr,
  MatchSequence,
  MatchSingleton,
  MatchStar,
  MatchValue,
  // Parts.
  ExceptHandler,
  Load,
};

class Node {
 public:
  Node() = default;
  explicit Node(nanobind::handle object) : object_(object) {}

  [[nodiscard]] bool present() const { return object_.is_valid() && !object_.is_none(); }
  [[nodiscard]] NodeKind kind() const;
  [[nodiscard]] std::string_view type_name() const;  // "FunctionDef"
  [[nodiscard]] nanobind::handle object() const { return object_; }

  // Fields by their name in the grammar of `ast`.
  [[nodiscard]] nanobind::object value_of(const char* field) const;
  [[nodiscard]] Node child(const char* field) const;                  // not present: None, or no such field
  [[nodiscard]] std::vector<Node> children(const char* field) const;  // elements may be not present
  [[nodiscard]] std::string text(const char* field) const;            // "" for None
  [[nodiscard]] std::vector<std::string> texts(const char* field) const;
  [[nodiscard]] std::uint32_t number(const char* field) const;  // 0 for None
  // All nodes right below this one, in the order of the grammar.
  [[nodiscard]] std::vector<Node> all_children() const;

  bool operator==(const Node& other) const { return object_.ptr() == other.object_.ptr(); }

 private:
  nanobind::handle object_;
};

bool is_comprehension(NodeKind kind);  // GeneratorExp too

}  // namespace dycl::import_python
