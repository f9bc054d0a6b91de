// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/live_sets.h"

#include <algorithm>
#include <span>

#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

PySetObject& table_of(nb::handle set) { return *reinterpret_cast<PySetObject*>(set.ptr()); }

std::span<setentry> entries_of(const PySetObject& set) {
  return {set.table, static_cast<std::size_t>(set.mask) + 1};
}

// The hash is -1 where an element was removed; CPython's own sign then is its key.
bool is_element(const setentry& entry) { return entry.key != nullptr && entry.hash != -1; }

}  // namespace

nb::object exact_copy(nb::handle set) {
  const PySetObject& original = table_of(set);
  nb::object made = owned(PySet_New(nullptr));
  PySetObject& copy = table_of(made);
  const std::span<setentry> entries = entries_of(original);
  if (entries.size() > PySet_MINSIZE) {
    auto* table = static_cast<setentry*>(PyMem_Calloc(entries.size(), sizeof(setentry)));
    if (table == nullptr) throw std::bad_alloc();
    copy.table = table;
  }
  copy.fill = original.fill;
  copy.used = original.used;
  copy.mask = original.mask;
  copy.finger = original.finger;
  std::ranges::copy(entries, copy.table);
  for (const setentry& entry : entries_of(copy))
    if (is_element(entry)) Py_INCREF(entry.key);
  return made;
}

bool lies_by_hash(nb::handle set) {
  const PySetObject& table = table_of(set);
  const std::span<setentry> entries = entries_of(table);
  for (std::size_t index = 0; index < entries.size(); ++index)
    if (is_element(entries[index]) &&
        (static_cast<std::size_t>(entries[index].hash) & static_cast<std::size_t>(table.mask)) != index)
      return false;
  return true;
}

bool lie_alike(nb::handle one, nb::handle other) {
  const std::span<setentry> first = entries_of(table_of(one)), second = entries_of(table_of(other));
  return table_of(one).fill == table_of(other).fill &&
         std::ranges::equal(first, second, [](const setentry& left, const setentry& right) {
           return left.hash == right.hash && (left.key == nullptr) == (right.key == nullptr);
         });
}

}  // namespace dycl::partial_eval
