// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/kept.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/overloaded.h"
#include "base/size_join.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// What may be kept: data, and objects that hold data.
bool is_data(const Object& object) {
  return std::visit(
      Overloaded{[](const TensorObject&) { return true; }, [](const ListObject&) { return true; },
                 [](const SequenceObject&) { return true; }, [](const TupleObject&) { return true; },
                 [](const DictObject&) { return true; }, [](const SetObject&) { return true; },
                 [](const InstanceObject& instance) {
                   return !stands_for_numpy(instance.type) && !is_exception_type(instance.type);
                 },
                 [](const CellObject&) { return true; }, [](const auto&) { return false; }},
      object);
}

std::string shown_kind(const Object& object) {
  const auto* instance = std::get_if<InstanceObject>(&object);
  if (instance != nullptr && stands_for_numpy(instance->type)) return "a numpy array";
  if (std::holds_alternative<TextObject>(object)) return "a text that depends on the input";
  const std::string kind = instance == nullptr ? kind_name(object) : class_name(instance->type);
  return (std::string_view("aeiou").find(kind.front()) != std::string_view::npos ? "an " : "a ") + kind;
}

constexpr const char* kTensorOfCaller =
    "what may be a tensor of the caller's, while calls write to such tensors,";

class Keeping {
 public:
  Keeping(Machine& machine, const State& state) : machine_(machine), state_(state) {
    kept_.heap = state.heap;
    kept_.sizes = state.sizes;
    for (const auto& [live, twin] : state.overlay.entries())
      if (!machine.ownership.created.contains(live)) live_of_.emplace(twin.id, live);
  }

  State run() {
    for (const StateSlot& slot : machine_.marks.state_slots) add(slot);
    for (const nb::object& tensor : machine_.marks.state_tensors)
      kept_.overlay.set(tensor, *state_.overlay.find(tensor));
    for (const StateSlot& slot : machine_.marks.state_slots) {
      slot_ = &slot;
      keep(*kept_.overlay.find(slot.owner));
    }
    for (const nb::object& tensor : machine_.marks.state_tensors)
      seen_.insert(kept_.overlay.find(tensor)->id);
    forget_the_rest();
    return std::move(kept_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    machine_.refuse(
        state_, "python.state_kind",
        fmt::format("{} is to be kept from call to call, but a call leaves {} in it",
                    shown_path(machine_, slot_->shown), what),
        "keep tensors (copies of the caller's: clone()), numbers, texts, and lists, dicts or objects "
        "that hold them; or pass it in and return it");
  }

  void forget_the_rest() {
    std::vector<nb::object> others;
    for (const auto& [live, twin] : kept_.overlay.entries())
      if (!seen_.contains(twin.id) || made_.contains(live.ptr())) others.push_back(live);
    for (const nb::object& live : others) kept_.overlay.erase(live);
    kept_.heap.keep_only([&](HeapId id) { return seen_.contains(id); });
    std::erase_if(kept_.sizes, [&](const auto& entry) { return !numbers_.contains(entry.first); });
  }

  // ---- the owners
  void add(const StateSlot& slot) {
    if (!slot.name.starts_with('<')) return add_attribute(slot);
    const ObjectRef* twin = state_.overlay.find(slot.owner);
    kept_.overlay.set(slot.owner, twin != nullptr ? *twin : kept_.heap.add(copied(slot.owner)));
  }

  Object copied(const nb::object& live) {
    if (!PyCell_Check(live.ptr())) return contents_of_live(machine_, kept_, live);
    PyObject* content = PyCell_GET(live.ptr());
    return CellObject{content == nullptr ? AbstractValue() : known(nb::borrow(content))};
  }

  // Of the owner's attributes, those alone that are kept.
  void add_attribute(const StateSlot& slot) {
    const ObjectRef* added = kept_.overlay.find(slot.owner);
    if (added == nullptr) {
      const ObjectRef* twin = state_.overlay.find(slot.owner);
      const ObjectRef ref = twin != nullptr ? *twin : kept_.heap.add(Object(TupleObject{}));
      kept_.heap.put(ref.id, InstanceObject{type_of_live(slot.owner), slot.owner, {}});
      kept_.overlay.set(slot.owner, ref);
      added = kept_.overlay.find(slot.owner);
    }
    kept_.heap.edit_as<InstanceObject>(*added).attributes.set(slot.name, attribute_now(slot));
  }

  // Unbound: it is not there.
  AbstractValue attribute_now(const StateSlot& slot) const {
    if (const ObjectRef* twin = state_.overlay.find(slot.owner)) {
      const auto* instance = state_.heap.get<InstanceObject>(AbstractValue(*twin));
      if (instance->forgotten.contains(slot.name)) throw Restart{{}, {slot.name}};
      if (const AbstractValue* found = instance->attributes.find(slot.name)) return *found;
    }
    const nb::object held = held_attribute(machine_, slot.owner, slot.name);
    return held.is_valid() ? known(held) : AbstractValue();
  }

  // ---- what they hold
  void keep(ObjectRef ref) {
    if (!seen_.insert(ref.id).second) return;
    const Object& object = kept_.heap.at(ref);
    if (!is_data(object)) refuse(shown_kind(object));
    if (kept_.heap.is_protected(ref) || is_of_caller(state_, ref))
      refuse("a list, dict or object of the caller's");
    if (const auto* tensor = std::get_if<TensorObject>(&object)) return keep_tensor(ref, *tensor);
    if (const auto* sequence = std::get_if<SequenceObject>(&object)) {
      if (!sequence->element.bound()) refuse("a list of constants whose length depends on the path");
      if (!state_.heap.get<TensorObject>(sequence->element) && sequence->element.scalar() == nullptr)
        refuse("a list of objects whose length depends on the path");
      if (const ObjectRef* element = sequence->element.object()) {
        if (machine_.marks.writes_inputs) refuse(kTensorOfCaller);
        seen_.insert(element->id);
      }
      return;
    }
    if (const auto* instance = std::get_if<InstanceObject>(&object)) refuse_finalizer(instance->type);
    std::vector<AbstractValue> children;
    for_each_child(object, [&](const AbstractValue& child) { children.push_back(child); });
    for (AbstractValue& child : children) child = kept(child);
    replace_children(kept_.heap.edit(ref), std::move(children));
  }

  void keep_tensor(ObjectRef ref, const TensorObject& tensor) {
    refuse_unwritten(machine_, state_, tensor, "the next call");
    if (is_written_input(tensor)) refuse(kTensorOfCaller);
    if (tensor.selection) kept_.heap.edit_as<TensorObject>(ref).selection = nullptr;
  }

  // A caller may give it again, and eager would write to what was kept.
  [[nodiscard]] bool is_written_input(const TensorObject& tensor) const {
    return std::ranges::any_of(state_.ports, [&](const auto& port) {
      return !machine_.emitter.graph.inputs[port.first].is_state() &&
             tensor_at(state_, port.second).storage == tensor.storage;
    });
  }

  AbstractValue kept(const AbstractValue& value) {
    if (const nb::object* live = value.constant()) return kept_live(*live);
    if (const ScalarValue* number = value.scalar()) numbers_.insert(number->id);
    const ObjectRef* ref = value.object();
    if (ref == nullptr) return value;
    if (const auto live = live_of_.find(ref->id); live != live_of_.end()) return known(live->second);
    keep(*ref);
    return value;
  }

  AbstractValue kept_live(const nb::object& live) {
    if (machine_.ownership.created.contains(live)) return kept_created(live);
    if (PyTuple_Check(live.ptr())) return kept_tuple(live);
    if (is_atom(live)) return known(live);
    if (machine_.ownership.callers_objects.contains(live)) refuse("an object of the caller's");
    if (machine_.ownership.made_layers.contains(live)) refuse("a layer that it makes");
    refuse_finalizer(type_of_live(live));
    return known(live);
  }

  // What Python made while compiling: each call makes another.
  AbstractValue kept_created(const nb::object& live) {
    const auto [entry, is_new] = made_.try_emplace(live.ptr());
    if (!is_new) return entry->second;
    if (const ObjectRef* twin = state_.overlay.find(live)) {
      entry->second = *twin;
    } else if (machine_.torch.is_tensor(live)) {
      entry->second = twin_of_tensor(machine_, kept_, live, "the next call");
    } else {
      if (is_array(live)) refuse("a numpy array");
      entry->second = kept_.heap.add(contents_of_live(machine_, kept_, live));
    }
    const AbstractValue made = entry->second;
    keep(*made.object());
    return made;
  }

  AbstractValue kept_tuple(const nb::object& live) {
    bool same = true;
    std::vector<AbstractValue> items;
    for (const nb::handle item : live) {
      items.push_back(kept(known(nb::borrow(item))));
      same = same && items.back().constant() != nullptr && items.back().constant()->is(item);
    }
    if (same) return known(live);
    const AbstractValue made = kept_.make(TupleObject{std::move(items), type_of_live(live)});
    seen_.insert(made.object()->id);
    return made;
  }

  // Python would run that code where the last call lets go of the object: nobody knows when.
  void refuse_finalizer(nb::handle type) const {
    if (python_method(type, "__del__").is_valid() || is_borrowed(type, "__del__"))
      refuse(fmt::format("a {}, whose class defines __del__,", class_name(type)));
  }

  Machine& machine_;
  const State& state_;
  State kept_;
  const StateSlot* slot_ = nullptr;
  std::map<HeapId, nb::object> live_of_;  // by their twins
  std::map<PyObject*, AbstractValue> made_;
  std::set<HeapId> seen_;
  std::set<ValueId> numbers_;
};

}  // namespace

std::string shown_path(const Machine& machine, const std::string& path) {
  return (machine.torch.is_module(machine.across_calls.model) ? "self." : "") + path;
}

bool keeps_state(const Machine& machine) {
  return !machine.marks.state_slots.empty() || !machine.marks.state_tensors.empty();
}

State kept_part(Machine& machine, const State& state) { return Keeping(machine, state).run(); }

namespace {

std::vector<SizeSymbolPtr> open_symbols(const State& kept) {
  std::vector<SizeSymbolPtr> found;
  kept.heap.for_each([&](ObjectRef, const Object& object) {
    if (const auto* tensor = std::get_if<TensorObject>(&object))
      found.insert(found.end(), tensor->spec->symbols.begin(), tensor->spec->symbols.end());
  });
  for (const auto& [id, size] : kept.sizes)
    for (const SizeSymbolPtr& symbol : symbols_of(size)) found.push_back(symbol);
  return found;
}

}  // namespace

State with_own_sizes(Machine& machine, State kept) {
  SizeSymbols& symbols = machine.torch.size_symbols();
  SizeJoins joins(symbols);
  SizeValues others;
  for (const SizeSymbolPtr& symbol : open_symbols(kept))
    others.emplace(symbol->number, symbols.fresh(symbol->range, symbol->origins));
  const auto owned = [&](const Sizes& sizes) {
    Sizes made;
    for (const SizeExpr& size : sizes)
      made.push_back(joins.joined({size, substituted(size, others)}, std::nullopt));
    return made;
  };
  std::vector<ObjectRef> open;
  kept.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->spec->has_open_sizes()) open.push_back(ref);
  });
  std::ranges::sort(open, {}, &ObjectRef::id);
  for (const ObjectRef ref : open) {
    auto& tensor = kept.heap.edit_as<TensorObject>(ref);
    const bool contiguous = tensor.spec->stride == contiguous_stride(tensor.spec->shape);
    Sizes shape = owned(tensor.spec->shape);
    Sizes stride = contiguous ? contiguous_stride(shape) : owned(tensor.spec->stride);
    tensor.spec = machine.torch.with_layout(*tensor.spec, {std::move(shape), std::move(stride)});
  }
  kept.sizes.clear();
  kept.bound_sizes = symbols_in(kept);
  return kept;
}

std::set<std::size_t> symbols_in(const State& kept) {
  std::set<std::size_t> numbers;
  for (const SizeSymbolPtr& symbol : open_symbols(kept)) numbers.insert(symbol->number);
  return numbers;
}

}  // namespace dycl::partial_eval
