// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "result_trees.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;

std::string_view name_of(Blame blame) {
  switch (blame) {
    case Blame::Usage: return "usage";
    case Blame::Unsupported: return "unsupported";
    case Blame::Backend: return "backend";
    case Blame::Package: return "package";
    case Blame::Model: return "model";
    case Blame::Internal: return "internal";
  }
  return "internal";
}

nb::object attributes_of(const Diagnostic& raised) {
  nb::list values;
  for (const ResultConstant& value : raised.exception_values) values.append(constant_to_python(value));
  return nb::module_::import_("dycl.results")
      .attr("rebuild")(tree_to_python(*raised.exception_attributes), values);
}

constexpr std::array kBlames{Blame::Usage,   Blame::Unsupported, Blame::Backend,
                             Blame::Package, Blame::Model,       Blame::Internal};

}  // namespace

int exit_code_of(const std::string& blame) {
  const auto* found = std::ranges::find(kBlames, blame, name_of);
  return exit_code(found == kBlames.end() ? Blame::Internal : *found);
}

nb::object exception_of(const Diagnostic& diagnostic) {
  nb::dict fields;
  fields["blame"] = std::string(name_of(diagnostic.blame));
  fields["code"] = diagnostic.code;
  fields["message"] = diagnostic.message;
  fields["text"] = to_string(diagnostic);
  fields["file"] = diagnostic.span.file;
  fields["line"] = diagnostic.span.line;
  fields["column"] = diagnostic.span.column;
  fields["node"] = diagnostic.span.node;
  fields["hint"] = diagnostic.hint;
  fields["notes"] = diagnostic.notes;
  fields["exception_type"] = diagnostic.exception_type;
  if (diagnostic.exception_attributes != nullptr) fields["attributes"] = attributes_of(diagnostic);
  return nb::module_::import_("dycl.errors").attr("error_of")(fields);
}

namespace {

void set_python_error(const Diagnostic& diagnostic) {
  try {
    const nb::object error = exception_of(diagnostic);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const DiagnosticError& error) {
    set_python_error(error.diagnostic());
  } catch (const InternalError& error) {
    set_python_error(
        {Blame::Internal, "internal.bug", error.what(), {}, "this is a bug in DyCL, please report it"});
  }
}

}  // namespace

void init_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace dycl::python
