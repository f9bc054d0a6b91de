// SPDX-License-Identifier: Apache-2.0
// From a live Python function to its control-flow IR. CPython's own `ast` module parses; the source is found
// by the position of the function's code object and proven to be the one it was compiled from.
// Everything here needs the GIL.
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

// One code object, lowered. Immutable and shared.
struct PythonFunction {
  program::Function ir;
  std::vector<nanobind::object> constants;                   // as numbered by ir.constants
  std::vector<std::shared_ptr<const PythonFunction>> inner;  // as numbered by MakeFunction
  program::Liveness liveness;
  program::WeakTopologicalOrder order;
};

using PythonFunctionPtr = std::shared_ptr<const PythonFunction>;

class SourceFile;

// Functions lowered so far, by code object (kept alive), and source files parsed so far.
class SourceLibrary {
 public:
  SourceLibrary();
  ~SourceLibrary();
  SourceLibrary(const SourceLibrary&) = delete;
  SourceLibrary& operator=(const SourceLibrary&) = delete;

  // A function, lambda, bound method or code object. Refuses with python.no_source, python.source_changed
  // or python.unsupported_syntax (file, line and column in the span).
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
