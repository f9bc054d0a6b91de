// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/plain_constants.h"

namespace dycl::partial_eval {

bool is_plain_constant(const AbstractValue& value) {
  const nb::object* constant = value.constant();
  if (constant == nullptr) return false;
  PyObject* object = constant->ptr();
  if (object == Py_None || PyBool_Check(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object))
    return true;
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  (void)PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

std::int64_t PlainConstants::place_of(const nb::object& constant) {
  const std::string key =
      std::string(Py_TYPE(constant.ptr())->tp_name) + " " + nb::cast<std::string>(nb::repr(constant));
  const auto [entry, is_new] = places_.try_emplace(key, static_cast<std::int64_t>(all_.size()));
  if (is_new) all_.push_back(constant);
  return entry->second;
}

}  // namespace dycl::partial_eval
