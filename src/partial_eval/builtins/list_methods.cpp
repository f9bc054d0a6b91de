// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/list_methods.h"

#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/list_items.h"
#include "partial_eval/torch/read_tensor.h"

namespace dycl::partial_eval {
namespace {

std::vector<AbstractValue>& items_of(State& state, ObjectRef list) {
  return state.heap.edit_as<ListObject>(list).items;
}

Outcome extend(Machine& machine, State& state, const AbstractValue& self, const AbstractValue& iterable) {
  const auto elements = elements_of(machine, state, iterable);
  if (!elements) return call_prelude(machine, state, "extend_list", Arguments{{self, iterable}, {}});
  auto& items = items_of(state, writable(machine, state, self));
  items.insert(items.end(), elements->begin(), elements->end());
  return known_none();
}

Outcome insert(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const nb::object given =
      machine.need(state, arguments.positional[0], "the place where a list is inserted into");
  const auto index = known_index(known(given));
  if (!index)
    return machine.raise(PyExc_TypeError, "'" + std::string(Py_TYPE(given.ptr())->tp_name) +
                                              "' object cannot be interpreted as an integer");
  auto& items = items_of(state, writable(machine, state, self));
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t place = std::clamp(*index < 0 ? *index + size : *index, std::int64_t{0}, size);
  items.insert(items.begin() + place, arguments.positional[1]);
  return known_none();
}

Outcome pop_element(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const AbstractValue key = arguments.positional.empty() ? known_int(-1) : arguments.positional[0];
  const ObjectRef ref = writable(machine, state, self);
  const std::size_t size = state.heap.get<ListObject>(ref)->items.size();
  const auto take = [&](State& target, std::size_t position) {
    auto& items = items_of(target, ref);
    const AbstractValue taken = current(target, items[position]);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(position));
    return taken;
  };
  if (size == 0) return machine.raise(PyExc_IndexError, "pop from empty list");
  if (const auto known_key = known_index(key)) {
    const std::int64_t index = *known_key < 0 ? *known_key + static_cast<std::int64_t>(size) : *known_key;
    if (index < 0 || index >= static_cast<std::int64_t>(size))
      return machine.raise(PyExc_IndexError, "pop index out of range");
    return take(state, static_cast<std::size_t>(index));
  }
  if (const auto index = dynamic_index(machine, state, key))
    return switch_over(machine, state, *index, size, take,
                       machine.raise(PyExc_IndexError, "pop index out of range"));
  return machine.raise(PyExc_TypeError,
                       "'" + type_name(machine, state, key) + "' object cannot be interpreted as an integer");
}

}  // namespace

std::optional<Outcome> list_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments) {
  if (!arguments.keywords.empty()) return std::nullopt;
  const std::size_t count = arguments.positional.size();
  if (name == "append" && count == 1) {
    items_of(state, writable(machine, state, self)).push_back(arguments.positional[0]);
    return known_none();
  }
  if (name == "extend" && count == 1) return extend(machine, state, self, arguments.positional[0]);
  if (name == "__iadd__" && count == 1) {
    Outcome done = extend(machine, state, self, arguments.positional[0]);
    return std::holds_alternative<AbstractValue>(done) ? Outcome(current(state, self)) : std::move(done);
  }
  if (name == "insert" && count == 2) return insert(machine, state, self, arguments);
  if (name == "pop" && count <= 1) return pop_element(machine, state, self, arguments);
  if (name == "clear" && count == 0) {
    items_of(state, writable(machine, state, self)).clear();
    return known_none();
  }
  if (name == "copy" && count == 0) return new_list(state, list_items(state, self));
  if (name == "reverse" && count == 0) {
    auto& items = items_of(state, writable(machine, state, self));
    std::reverse(items.begin(), items.end());
    return known_none();
  }
  return std::nullopt;
}

}  // namespace dycl::partial_eval
