// SPDX-License-Identifier: Apache-2.0
// Turns a live Python function into its control-flow IR. CPython's own `ast` module parses. The importer
// finds the source by the position of the function's code object, and proves that the function was compiled
// from it. All functions here need the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "program/function.h"
#include "program/liveness.h"
#include "program/weak_topological_order.h"

namespace dycl::import_python {

// One lowered code object, which is immutable and shared.
struct PythonFunction {
  program::Function ir;
  std::vector<nanobind::object> constants;                   // as numbered by ir.constants
  std::vector<std::shared_ptr<const PythonFunction>> inner;  // as numbered by MakeFunction
  program::Liveness liveness;
  program::WeakTopologicalOrder order;
};

using PythonFunctionPtr = std::shared_ptr<const PythonFunction>;

class SourceFile;

// Holds the functions lowered so far, by code object (which it keeps alive), and the source files parsed so
// far.
class SourceLibrary {
 public:
  SourceLibrary();
  ~SourceLibrary();
  SourceLibrary(const SourceLibrary&) = delete;
  SourceLibrary& operator=(const SourceLibrary&) = delete;

  // Lowers a function, lambda, bound method or code object. Refuses with python.no_source,
  // python.source_changed or python.unsupported_syntax (the span has file, line and column).
  Result<PythonFunctionPtr> lower(nanobind::handle function);

 private:
  struct Entry {
    nanobind::object code;
    PythonFunctionPtr function;
  };
  std::shared_ptr<SourceFile> source_file(nanobind::handle code, nanobind::handle function);

  std::unordered_map<PyObject*, Entry> functions_;
  std::unordered_map<std::string, std::shared_ptr<SourceFile>> files_;
};

}  // namespace dycl::import_python
