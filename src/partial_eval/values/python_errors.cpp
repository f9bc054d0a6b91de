// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {

nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

nb::object exception_class(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return nb::module_::import_("builtins").attr(name.c_str());
  return nb::module_::import_(name.substr(0, colon).c_str()).attr(name.substr(colon + 1).c_str());
}

void throw_python(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

void throw_python(PyObject* type, const nb::object& argument) {
  PyErr_SetObject(type, nb::make_tuple(argument).ptr());
  throw nb::python_error();
}

}  // namespace dycl::partial_eval
