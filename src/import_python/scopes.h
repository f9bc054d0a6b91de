// SPDX-License-Identifier: Apache-2.0
// Decides which names of a source file are local, shared with inner functions, or global, by Python's rules,
// for every function, lambda, class and comprehension of the file.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "import_python/ast_node.h"

namespace dycl::import_python {

enum class ScopeKind : std::uint8_t { Module, Class, Function, Comprehension, TypeParameters };

// The names of one scope. They are mangled (`__x` in class C is `_C__x`).
struct Scope {
  ScopeKind kind = ScopeKind::Module;
  Node node;
  Scope* parent = nullptr;
  std::string name;            // as in co_name: "f", "<lambda>", "<listcomp>"
  std::string qualified_name;  // as in co_qualname
  std::string class_name;      // of the innermost class around, for mangling
  std::set<std::string> bound;
  std::set<std::string> used;
  std::set<std::string> globals;
  std::set<std::string> nonlocals;
  std::set<std::string> rebound_in_expressions;  // by `:=` in this function itself
  std::set<std::string> cells;                   // bound here, used by inner functions
  std::set<std::string> free;  // bound in an enclosing function; in the order of co_freevars
  bool has_yield = false;
  std::vector<std::unique_ptr<Scope>> children;

  [[nodiscard]] bool is_function() const {
    return kind == ScopeKind::Function || kind == ScopeKind::Comprehension ||
           kind == ScopeKind::TypeParameters;
  }
};

enum class Binding : std::uint8_t { Local, Cell, Free, Global };

Binding binding_of(const Scope& scope, const std::string& name);

std::string mangle(const std::string& name, const std::string& class_name);

class ScopeTree {
 public:
  // With `future_annotations`, annotations are not evaluated, as after `from __future__ import annotations`.
  ScopeTree(Node module, bool future_annotations);
  ScopeTree(ScopeTree&&) = default;

  // Returns the scope of a function definition, lambda or comprehension of the tree.
  [[nodiscard]] const Scope& scope_of(Node node) const;
  [[nodiscard]] const std::vector<const Scope*>& functions() const { return functions_; }

 private:
  std::unique_ptr<Scope> module_;
  std::unordered_map<PyObject*, const Scope*> by_node_;
  std::vector<const Scope*> functions_;
};

}  // namespace dycl::import_python
