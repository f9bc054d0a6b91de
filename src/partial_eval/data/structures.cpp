// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/structures.h"

#include <algorithm>

#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {

AbstractValue make_tuple(Machine& machine, State& state, std::vector<AbstractValue> items) {
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  bool all_known = true;
  for (const AbstractValue& item : items) all_known = all_known && item.constant() != nullptr;
  if (!all_known) return state.make(TupleObject{std::move(items), type});
  nb::list live;
  for (const AbstractValue& item : items) live.append(*item.constant());
  (void)machine;
  return known(nb::tuple(live));
}

namespace {

// Only a str names an argument.
std::string name_of_argument(nb::handle key) {
  if (!PyUnicode_Check(key.ptr())) throw_python(PyExc_TypeError, "keywords must be strings");
  return nb::cast<std::string>(key);
}

}  // namespace

std::vector<std::pair<std::string, AbstractValue>> mapping_entries(Machine& machine, State& state,
                                                                   const AbstractValue& mapping) {
  std::vector<std::pair<std::string, AbstractValue>> entries;
  if (const auto* dict = state.heap.get<DictObject>(mapping)) {
    for (const auto& [key, value] : dict->entries)
      entries.emplace_back(name_of_argument(key), value);
    return entries;
  }
  const nb::object* live = mapping.constant();
  // CPython asks the keys() of a dict whose class walks it in another way.
  if (live == nullptr || !PyDict_Check(live->ptr()) || is_user_method(live->type(), "__iter__"))
    machine.refuse(state, "python.mapping",
                   "`**` is applied to something that is not a dict, or that is walked in a way of its own",
                   "use a dict");
  for (const auto& [key, value] : nb::cast<nb::dict>(*live))
    entries.emplace_back(name_of_argument(key), known(nb::borrow(value)));
  return entries;
}

bool is_abstract(const Machine& machine, const State& state, const AbstractValue& value) {
  return !machine.reify(state, value).has_value();
}

bool is_any_abstract(const Machine& machine, const State& state, const Arguments& arguments) {
  const auto abstract = [&](const AbstractValue& value) { return is_abstract(machine, state, value); };
  return std::ranges::any_of(arguments.positional, abstract) ||
         std::ranges::any_of(arguments.keywords,
                             [&](const auto& keyword) { return abstract(keyword.second); });
}

}  // namespace dycl::partial_eval
