// SPDX-License-Identifier: Apache-2.0
// What the models of Python's builtins share. A python_error that they let out is what the program raises.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

struct NativeCall {
  Machine& machine;
  State& state;
  const nb::object& callee;
  Arguments& arguments;

  [[nodiscard]] std::size_t count() const { return arguments.positional.size(); }
  [[nodiscard]] const AbstractValue& at(std::size_t index) const { return arguments.positional[index]; }
  [[nodiscard]] bool plain(std::size_t least, std::size_t most) const {  // no keywords, so many positional
    return arguments.keywords.empty() && count() >= least && count() <= most;
  }
  // Returns the argument, or an unbound value if the call does not give it.
  [[nodiscard]] AbstractValue named(std::size_t index, std::string_view name) const {
    if (index < count()) return at(index);
    for (const auto& [keyword, value] : arguments.keywords)
      if (keyword == name) return value;
    return {};
  }
  // Every argument is a live object that the program has not written to.
  [[nodiscard]] bool all_known() const;
};

// A model of a builtin. It gives nullopt to leave the call to CPython, to a model of the prelude, or to
// inlining.
using Native = std::optional<Outcome> (*)(NativeCall& call);

class NativeTable {
 public:
  // "builtins.len", "torch.compiler.is_compiling"; names that this version lacks are skipped.
  void add(const char* module, std::string_view names, Native native);
  [[nodiscard]] Native find(nb::handle callable) const;

 private:
  std::unordered_map<PyObject*, Native> natives_;
};

}  // namespace dycl::partial_eval
