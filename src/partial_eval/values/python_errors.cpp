// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {

nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
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
