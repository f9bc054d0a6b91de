// SPDX-License-Identifier: Apache-2.0
// Errors of CPython: a python_error that a model of a builtin lets out is what the program raises.
#pragma once

#include <string>

#include "partial_eval/values/abstract_value.h"

namespace dycl::partial_eval {

// A live object, or the error that CPython set.
nb::object owned(PyObject* object);
// The class of a builtin exception by its name, or of another by "module:Class".
nb::object exception_class(const std::string& name);
[[noreturn]] void throw_python(PyObject* type, const std::string& message);
[[noreturn]] void throw_python(PyObject* type, const nb::object& argument);

}  // namespace dycl::partial_eval
