// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/structures.h"

#include <algorithm>

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

std::vector<std::pair<std::string, AbstractValue>> mapping_entries(Machine& machine, State& state,
                                                                   const AbstractValue& mapping) {
  std::vector<std::pair<std::string, AbstractValue>> entries;
  if (const auto* dict = state.heap.get<DictObject>(mapping)) {
    for (const auto& [key, value] : dict->entries)
      entries.emplace_back(nb::cast<std::string>(nb::str(key)), value);
    return entries;
  }
  const nb::object* live = mapping.constant();
  if (live == nullptr || !PyDict_Check(live->ptr()))
    machine.refuse(state, "python.mapping", "`**` is applied to something that is not a dict", "use a dict");
  for (const auto& [key, value] : nb::cast<nb::dict>(*live))
    entries.emplace_back(nb::cast<std::string>(nb::str(key)), known(nb::borrow(value)));
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
