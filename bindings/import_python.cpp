// SPDX-License-Identifier: Apache-2.0
// The control-flow IR of a Python function as text, for people and tests.
#include "import_python/import_python.h"

#include <nanobind/stl/string.h>

#include "errors.h"
#include "import_python.h"
#include "program/print.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::string print_with_inner(const import_python::PythonFunction& function,
                             const program::PrintOptions& options) {
  std::string text = program::to_string(function.ir, options);
  for (const import_python::PythonFunctionPtr& inner : function.inner)
    text += "\n" + print_with_inner(*inner, options);
  return text;
}

std::string lower(import_python::SourceLibrary& library, nb::handle function, bool positions) {
  const import_python::PythonFunctionPtr lowered = value_or_throw(library.lower(function));
  return print_with_inner(*lowered, {.positions = positions});
}

std::string lower_function(nb::handle function, bool positions) {
  import_python::SourceLibrary library;
  return lower(library, function, positions);
}

}  // namespace

void init_import_python(nb::module_& module) {
  nb::class_<import_python::SourceLibrary>(module, "SourceLibrary", "Source files that are parsed once.")
      .def(nb::init<>())
      .def("lower", lower, "function"_a, "positions"_a = false,
           "Like lower_function, for many functions of the same files.");
  module.def("lower_function", lower_function, "function"_a, "positions"_a = false,
             "The control-flow IR of a Python function and of the functions inside it, as text.");
}

}  // namespace dycl::python
