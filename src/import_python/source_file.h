// SPDX-License-Identifier: Apache-2.0
// One source file as CPython sees it: text, syntax tree, scopes and the code objects that it compiles to.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "import_python/ast_node.h"
#include "import_python/scopes.h"
#include "program/instruction.h"

namespace dycl::import_python {

class SourceFile {
 public:
  // `future_flags` are the features of __future__ that the code was compiled with. Throws
  // nanobind::python_error (SyntaxError) if the text is not Python.
  SourceFile(std::string name, const nanobind::list& lines, int future_flags);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ScopeTree& scopes() const { return scopes_; }
  [[nodiscard]] program::Position position_of(Node node) const;
  [[nodiscard]] bool has_text(const nanobind::list& lines) const { return text_.equal(lines); }
  // Says whether asserts are compiled, which they are not under -O.
  [[nodiscard]] bool keeps_asserts() const { return keeps_asserts_; }

  // Returns the function that this code object was compiled from; null if the text compiles to no such code.
  [[nodiscard]] const Scope* find(nanobind::handle code) const;

 private:
  [[nodiscard]] std::uint32_t column_of(std::uint32_t line, std::uint32_t byte_offset) const;
  void collect_codes(nanobind::handle code);

  std::string name_;
  nanobind::list text_;
  std::vector<std::string> lines_;
  nanobind::object tree_;
  ScopeTree scopes_;
  std::vector<nanobind::object> codes_;
  bool keeps_asserts_ = true;
};

}  // namespace dycl::import_python
