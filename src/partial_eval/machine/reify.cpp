// SPDX-License-Identifier: Apache-2.0
// What of a value is known: its live object, or the part that is not known.
#include "partial_eval/machine/machine.h"

#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_sets.h"

namespace dycl::partial_eval {
namespace {

using Live = std::optional<nb::object>;

class Reification {
 public:
  Reification(const Machine& machine, const State& state) : machine_(machine), state_(state) {}

  Live of(const AbstractValue& value) {
    const AbstractValue now = machine_.refined(state_, current(state_, value));
    if (const nb::object* object = now.constant()) return *object;
    const ObjectRef* ref = now.object();
    if (ref == nullptr) return std::nullopt;
    if (const auto made = made_.find(ref->id); made != made_.end()) return made->second;
    if (!open_.insert(ref->id).second) return std::nullopt;  // contains itself
    Live live = std::visit([this](const auto& object) { return of_object(object); }, state_.heap.at(*ref));
    if (live) made_.emplace(ref->id, *live);
    open_.erase(ref->id);
    return live;
  }

 private:
  template <class Kind>
  Live of_object(const Kind&) {
    return std::nullopt;
  }
  Live of_object(const ListObject& list) {
    nb::list items;
    for (const AbstractValue& item : list.items) {
      const Live live = of(item);
      if (!live) return std::nullopt;
      items.append(*live);
    }
    return nb::object(items);
  }
  Live of_object(const ArrayObject& array) { return array.contents; }
  Live of_object(const TupleObject& tuple) {
    const Live items = of_object(ListObject{tuple.items});
    if (!items) return std::nullopt;
    if (tuple.type.is(reinterpret_cast<PyObject*>(&PyTuple_Type))) return nb::object(nb::tuple(*items));
    if (!has_attribute(tuple.type, "_make")) return nb::object(tuple.type(*items));  // torch.Size
    return nb::object(tuple.type.attr("_make")(*items));
  }
  Live of_object(const DictObject& dict) {
    if (dict.default_factory.bound()) return std::nullopt;
    nb::object made = dict.type();
    for (const auto& [key, value] : dict.entries) {
      const Live live = of(value);
      if (!live) return std::nullopt;
      made[key] = *live;
    }
    return made;
  }
  Live of_object(const SetObject& set) {
    return PySet_CheckExact(set.contents.ptr()) ? exact_copy(set.contents) : set.contents;
  }
  Live of_object(const SliceObject& slice) {
    const Live start = of(slice.start), stop = of(slice.stop), step = of(slice.step);
    if (!start || !stop || !step) return std::nullopt;
    return nb::steal<nb::object>(PySlice_New(start->ptr(), stop->ptr(), step->ptr()));
  }

  const Machine& machine_;
  const State& state_;
  std::map<HeapId, nb::object> made_;
  std::set<HeapId> open_;
};

// The first dynamic part of a value, for messages and restarts.
struct DynamicPart {
  std::optional<ScalarValue> scalar;
  Origins origins;
};

void find_dynamic(const Machine& machine, const State& state, const AbstractValue& value, DynamicPart& part,
                  std::set<HeapId>& seen) {
  const AbstractValue now = machine.refined(state, current(state, value));
  if (const ScalarValue* scalar = now.scalar()) {
    part.origins = united(part.origins, scalar->origins);
    if (!part.scalar) part.scalar = *scalar;
    return;
  }
  const ObjectRef* ref = now.object();
  if (ref == nullptr || !seen.insert(ref->id).second) return;
  if (const auto* sequence = std::get_if<SequenceObject>(&state.heap.at(*ref)))
    part.origins = united(part.origins, sequence->origins);
  for_each_child(state.heap.at(*ref),
                 [&](const AbstractValue& child) { find_dynamic(machine, state, child, part, seen); });
}

}  // namespace

std::optional<nb::object> Machine::reify(const State& state, const AbstractValue& value) const {
  return Reification(*this, state).of(value);
}

nb::object Machine::need(const State& state, const AbstractValue& value, const std::string& what,
                         const std::string& hint) const {
  if (auto live = reify(state, value)) return std::move(*live);
  DynamicPart part;
  std::set<HeapId> seen;
  find_dynamic(*this, state, value, part, seen);
  if (part.origins) throw Restart{.origins = *part.origins, .needed_at = place_text(state)};
  if (part.scalar && part.scalar->kind == ScalarKind::Bool) throw Split{*part.scalar};
  if (const auto* instance = state.heap.get<InstanceObject>(value); instance != nullptr && !part.scalar)
    refuse(state, "python.needs_static",
           what + " must be known at compile time, but is an object of the class " +
               class_name(instance->type) + " that the model made",
           "pass what it holds, or convert it first, for example with int(…)");
  refuse(state, "python.needs_static", what + " must be known at compile time, but depends on the input",
         hint);
}

}  // namespace dycl::partial_eval
