// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/same_static.h"

#include <algorithm>
#include <array>

#include "partial_eval/values/heap.h"

namespace dycl::partial_eval {
namespace {

// 1 == True, range(0) == range(1, 1): what is equal may be told apart all the same.
bool same_parts(const nb::object& left, const nb::object& right) {
  return std::ranges::all_of(std::array{"start", "stop", "step"}, [&](const char* part) {
    return same_static(left.attr(part), right.attr(part));
  });
}

}  // namespace

bool same_static(const nb::object& left, const nb::object& right) {
  if (left.is(right)) return true;
  if (!Py_IS_TYPE(left.ptr(), Py_TYPE(right.ptr()))) return false;
  PyTypeObject* type = Py_TYPE(left.ptr());
  if (type == &PyFloat_Type) return nb::repr(left).equal(nb::repr(right));
  if (type == &PySlice_Type || type == &PyRange_Type) return same_parts(left, right);
  const bool by_value = type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBytes_Type;
  if (by_value) return PyObject_RichCompareBool(left.ptr(), right.ptr(), Py_EQ) == 1;
  if (type != &PyTuple_Type || nb::len(left) != nb::len(right)) return false;
  for (std::size_t index = 0; index < nb::len(left); ++index)
    if (!same_static(left[index], right[index])) return false;
  return true;
}

bool same_key(const nb::object& left, const nb::object& right) {
  if (left.is(right)) return true;
  if (!Py_IS_TYPE(left.ptr(), Py_TYPE(right.ptr()))) return false;
  if (PyFrozenSet_CheckExact(left.ptr())) return same_elements(left, right);
  if (PyFloat_CheckExact(left.ptr())) return same_static(left, right);
  if (!PyTuple_Check(left.ptr())) return is_same_key(left, right);
  if (nb::len(left) != nb::len(right)) return false;
  for (std::size_t index = 0; index < nb::len(left); ++index)
    if (!same_key(left[index], right[index])) return false;
  return true;
}

bool same_elements(nb::handle left, nb::handle right) {
  if (PySet_GET_SIZE(left.ptr()) != PySet_GET_SIZE(right.ptr())) return false;
  nb::dict others;  // finds the element that is equal
  for (const nb::handle item : right) others[item] = item;
  for (const nb::handle item : left) {
    PyObject* other = PyDict_GetItemWithError(others.ptr(), item.ptr());
    if (other == nullptr || !same_key(nb::borrow(item), nb::borrow(other))) return false;
  }
  return true;
}

}  // namespace dycl::partial_eval
