// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/structures.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/data/types.h"
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

const nb::object& size_class() {
  static const nb::object kept = library_object("torch", "Size");
  return kept;
}

bool is_int(const AbstractValue& item) {
  if (const ScalarValue* scalar = item.scalar()) return scalar->kind != ScalarKind::F64;
  return item.constant() != nullptr && PyLong_Check(item.constant()->ptr());
}

}  // namespace

bool is_torch_size(const State& state, const AbstractValue& value) {
  if (const nb::object* live = value.constant()) return type_of_live(*live).is(size_class());
  const auto* tuple = state.heap.get<TupleObject>(value);
  return tuple != nullptr && tuple->type.is(size_class());
}

Outcome make_size(Machine& machine, State& state, std::vector<AbstractValue> items) {
  for (std::size_t place = 0; place < items.size(); ++place) {
    if (is_int(items[place])) continue;
    const nb::object type = type_of(machine, state, items[place]);
    if (type_attribute(type, "__index__").is_valid())
      machine.refuse(state, "python.operator", full_name_of(type) + " is an item of a torch.Size",
                     "call int() on it first");
    return machine.raise(PyExc_TypeError,
                         fmt::format("torch.Size() takes an iterable of 'int' (item {} is '{}')", place,
                                     text_or_empty(type, "__name__")));
  }
  const AbstractValue tuple = make_tuple(machine, state, std::move(items));
  if (const nb::object* live = tuple.constant()) return known(size_class()(*live));
  state.heap.edit_as<TupleObject>(*tuple.object()).type = size_class();
  return tuple;
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
    for (const auto& [key, value] : dict->entries) entries.emplace_back(name_of_argument(key), value);
    return entries;
  }
  const nb::object* live = mapping.constant();
  const bool is_copied = live != nullptr && PyDict_Check(live->ptr()) &&
                         (is_copied_past_methods(live->type()) || is_copied_as_it_is(*live));
  if (!is_copied)
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
