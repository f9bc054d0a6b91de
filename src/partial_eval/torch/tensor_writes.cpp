// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/tensor_writes.h"

#include <functional>
#include <map>

#include "partial_eval/torch/layout.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_state.h"

namespace dycl::partial_eval {
namespace {

[[noreturn]] void refuse_shared(const Machine& machine, const State& state, const std::string& operation) {
  machine.refuse(state, "python.write_through_view",
                 operation +
                     " writes to a tensor whose memory another live tensor shares, and which elements they "
                     "share is not known",
                 "clone() one of them first");
}

// One write, and what follows from it.
class Write {
 public:
  Write(Machine& machine, State& state, ObjectRef written, const std::string& operation)
      : machine_(machine), state_(state), written_(written), operation_(operation) {}

  void run(ValueId value) {
    const TensorObject before = tensor_at(state_, written_);
    if (before.identity) throw Restart{*before.identity};
    refuse_if_not_ours(before);
    need_one_layout(before.sharing);
    if (before.free_sharing) machine_.inputs.layout_used = true;
    const std::vector<ObjectRef> sharing = others(before.storage);
    check(before, sharing);
    state_.heap.edit_as<TensorObject>(written_).value = value;
    if (!sharing.empty() && !before.at) {
      store_into_base(*before.selection);  // writes the base, which all the others follow
      return;
    }
    for (const ObjectRef other : sharing)
      if (tensor_at(state_, other).at) follow(other);
    for (const ObjectRef other : sharing)
      if (!tensor_at(state_, other).at) select_again(other);
  }

 private:
  void refuse_if_not_ours(const TensorObject& tensor) const {
    if (tensor.escaped)
      machine_.refuse(state_, "python.write_to_element",
                      operation_ +
                          " writes to a tensor that is, or may be, an element of a list whose length depends "
                          "on the path",
                      "append a copy: items.append(x.clone())");
    if (tensor.outside && !may_write_outside(machine_, state_, tensor))
      machine_.refuse(
          state_, "python.write_to_model",
          operation_ + " writes to a parameter, a buffer or a constant of the model",
          "write to a copy: x = x.clone(); or keep it from call to call: compile with state=True");
  }

  // Live tensors with the storage, and the tensors that their views were selected from.
  [[nodiscard]] std::vector<ObjectRef> others(StorageId storage) const {
    std::set<HeapId> found;
    for_each_live_object(state_, [&](HeapId id, const Object& object) {
      const auto* tensor = std::get_if<TensorObject>(&object);
      if (tensor == nullptr || tensor->storage != storage) return;
      found.insert(id);
      if (tensor->selection && has_base(*tensor)) found.insert(tensor->selection->base);
    });
    const TensorObject& own = tensor_at(state_, written_);
    if (!found.empty() && own.selection && has_base(own)) found.insert(own.selection->base);
    found.erase(written_.id);
    std::vector<ObjectRef> list;
    for (const HeapId id : found) list.push_back(ObjectRef{id});
    return list;
  }

  [[nodiscard]] bool has_base(const TensorObject& view) const {
    const HeapId base = view.selection->base;
    if (!state_.heap.contains(base)) return false;
    const auto* tensor = std::get_if<TensorObject>(&state_.heap.at(ObjectRef{base}));
    const ObjectRef* index = view.selection->index.object();
    return tensor != nullptr && tensor->storage == view.storage && tensor->at &&
           (index == nullptr || state_.heap.contains(index->id));
  }

  // Everything that can be refused is, before anything is written.
  void check(const TensorObject& before, const std::vector<ObjectRef>& sharing) const {
    const auto is_placed = [&](const TensorObject& tensor) {
      return tensor.at.has_value() || (tensor.selection && has_base(tensor));
    };
    if (!sharing.empty() && !is_placed(before)) refuse_shared(machine_, state_, operation_);
    for (const ObjectRef other : sharing) {
      const TensorObject& tensor = tensor_at(state_, other);
      if (tensor.identity) throw Restart{*tensor.identity};
      if (!is_placed(tensor)) refuse_shared(machine_, state_, operation_);
      refuse_if_not_ours(tensor);
    }
  }

  ValueId result_of(const nb::object& callee, Arguments arguments) {
    const Outcome outcome = call_leaf(machine_, state_, callee, arguments);
    const auto* value = std::get_if<AbstractValue>(&outcome);
    const auto* tensor = value == nullptr ? nullptr : state_.heap.get<TensorObject>(*value);
    if (tensor == nullptr) refuse_shared(machine_, state_, operation_);
    return tensor->value;
  }

  // An index that was in range when the view was made still is: nothing of it can fail here.
  template <class Work>
  void without_checks(const Work& work) {
    const std::vector<PendingCheck> before = state_.checks;
    work();
    state_.checks = before;
  }

  void store_into_base(const Selection selection) {
    TensorObject copy = tensor_at(state_, written_);
    copy.storage = fresh_storage();  // the value alone
    copy.at = 0;
    copy.selection = nullptr;
    copy.outside = false;
    const AbstractValue value = state_.make(std::move(copy));
    const nb::object store = machine_.torch.tensor_class().attr("__setitem__");
    without_checks([&] {
      const Outcome stored =
          call_leaf(machine_, state_, store, {{ObjectRef{selection.base}, selection.index, value}, {}});
      if (!std::holds_alternative<AbstractValue>(stored)) refuse_shared(machine_, state_, operation_);
    });
  }

  void select_again(ObjectRef view) {
    const std::shared_ptr<const Selection> selection = tensor_at(state_, view).selection;
    const nb::object read = machine_.torch.tensor_class().attr("__getitem__");
    without_checks([&] {
      const ValueId value = result_of(read, {{ObjectRef{selection->base}, selection->index}, {}});
      state_.heap.edit_as<TensorObject>(view).value = value;
    });
  }

  void follow(ObjectRef other) {
    const TensorObject written = tensor_at(state_, written_);
    const TensorObject seen = tensor_at(state_, other);
    const protocol::ViewUpdate update =
        machine_.torch.update_of_view(written.spec, *written.at, seen.spec, *seen.at);
    if (update.relation == "none") return;
    if (update.relation == "unknown") refuse_shared(machine_, state_, operation_);
    ValueId value = written.value;
    if (update.relation == "computed") {
      Arguments arguments{{other, written_}, {}};
      for (const nb::object& argument : update.arguments) arguments.positional.push_back(known(argument));
      value = result_of(update.function, std::move(arguments));
    }
    state_.heap.edit_as<TensorObject>(other).value = value;
  }

  Machine& machine_;
  State& state_;
  ObjectRef written_;
  const std::string& operation_;
};

using MadeEntries = std::vector<LiveTable<MadeTensor>::Entry>;

// The tensors of the program's own making that lie in this tensor's storage.
MadeEntries made_in_storage_of(const Machine& machine, const nb::object& live) {
  MadeEntries found;
  const MadeTensor* own = machine.ownership.made_tensors.find(live);
  const std::int64_t storage = own != nullptr ? own->storage : storage_key(live);
  for (const auto& entry : machine.ownership.made_tensors.entries())
    if (entry.value.storage == storage) found.push_back(entry);
  return found;
}

void collect_values(const State& state, const AbstractValue& value, std::vector<ValueId>& ids) {
  if (const ScalarValue* scalar = value.scalar()) ids.push_back(scalar->id);
  const ObjectRef* ref = value.object();
  if (ref == nullptr || !state.heap.contains(ref->id)) return;
  if (const auto* tensor = state.heap.get<TensorObject>(value)) ids.push_back(tensor->value);
  for_each_child(state.heap.at(*ref), [&](const AbstractValue& child) { collect_values(state, child, ids); });
}

bool same_index(const AbstractValue& left, const AbstractValue& right) {
  if (left.scalar() != nullptr && right.scalar() != nullptr) return left.scalar()->id == right.scalar()->id;
  if (left.object() != nullptr && right.object() != nullptr) return *left.object() == *right.object();
  return false;
}

}  // namespace

void write_tensor(Machine& machine, State& state, ObjectRef written, ValueId value,
                  const std::string& operation) {
  Write(machine, state, written, operation).run(value);
}

std::vector<nb::object> created_in_storage_of(const Machine& machine, const nb::object& live) {
  std::vector<nb::object> family;
  for (const auto& [tensor, made] : made_in_storage_of(machine, live)) family.push_back(tensor);
  return family;
}

namespace {

// The places that made the tensors which lie in this tensor's storage.
std::set<std::string> makers_in_storage_of(const Machine& machine, const nb::object& live) {
  std::set<std::string> makers;
  for (const auto& [tensor, made] : made_in_storage_of(machine, live)) makers.insert(made.maker);
  return makers;
}

}  // namespace

void note_shared(const Machine& machine, State& state, nb::handle tensors) {
  std::vector<nb::object> found;
  machine.torch.collect_tensors(tensors, found);
  for (const nb::object& tensor : found) state.makers_of_shared.merge(makers_in_storage_of(machine, tensor));
}

bool is_followed_from_the_start(const Machine& machine, const State& state) {
  return machine.marks.makers.contains(machine.place_text(state));
}

void note_made(Machine& machine, const State& state, const nb::object& live) {
  machine.ownership.created.insert(live);
  machine.ownership.made_tensors.set(
      live, {machine.place_text(state), storage_key(live), machine.ownership.cycles > 0});
}

AbstractValue made_on_heap(Machine& machine, State& state, const nb::object& result) {
  std::map<std::int64_t, StorageId> storages;
  const std::function<AbstractValue(nb::handle)> on_heap = [&](nb::handle live) -> AbstractValue {
    if (machine.torch.is_tensor(live)) {
      const nb::object tensor = nb::borrow(live);
      const auto [storage, is_new] = storages.try_emplace(storage_key(tensor));
      if (is_new) storage->second = fresh_storage();
      TensorObject made{machine.emitter.weight(tensor), machine.torch.spec_of(tensor), storage->second};
      made.at = nb::cast<std::int64_t>(tensor.attr("storage_offset")());
      return state.make(std::move(made));
    }
    if (!PyTuple_Check(live.ptr()) && !PyList_Check(live.ptr())) return known(nb::borrow(live));
    std::vector<AbstractValue> items;
    for (const nb::handle item : nb::borrow(live)) items.push_back(on_heap(item));
    if (PyList_Check(live.ptr())) return state.make(ListObject{std::move(items)});
    return state.make(TupleObject{std::move(items), type_of_live(live)});
  };
  return on_heap(result);
}

void follow_from_the_start(Machine& machine, const nb::object& live) {
  bool is_news = false;
  for (const std::string& maker : makers_in_storage_of(machine, live))
    is_news = machine.marks.makers.insert(maker).second || is_news;
  if (is_news) throw Restart{};
}

ObjectRef twin_of_tensor(Machine& machine, State& state, const nb::object& live,
                         const std::string& operation) {
  if (const ObjectRef* existing = state.overlay.find(live)) return *existing;
  const MadeEntries family = made_in_storage_of(machine, live);
  for (const auto& [tensor, made] : family)
    if (state.makers_of_shared.contains(made.maker)) {
      follow_from_the_start(machine, live);
      refuse_shared(machine, state, operation);
    } else if (made.in_cycle) {
      follow_from_the_start(machine, live);
    }
  const bool is_viewed_by_others = machine.torch.storage_uses(live) > family.size() + 1;
  if (is_viewed_by_others) refuse_shared(machine, state, operation);
  StorageId storage = fresh_storage();
  for (const auto& [tensor, made] : family)
    if (const ObjectRef* twin = state.overlay.find(tensor)) storage = tensor_at(state, *twin).storage;
  for (const auto& [tensor, made] : family) {
    if (state.overlay.find(tensor) != nullptr) continue;
    TensorObject twin{machine.emitter.weight(tensor), machine.torch.spec_of(tensor), storage};
    twin.at = nb::cast<std::int64_t>(tensor.attr("storage_offset")());
    state.overlay.set(tensor, state.heap.add(Object(std::move(twin))));
  }
  return *state.overlay.find(live);
}

void note_selection(State& state, const AbstractValue& view, const AbstractValue& tensor,
                    const AbstractValue& index) {
  const auto* selected = state.heap.get<TensorObject>(view);
  const auto* base = state.heap.get<TensorObject>(tensor);
  if (selected == nullptr || base == nullptr || selected->at || selected->storage != base->storage) return;
  Selection selection{tensor.object()->id, index, {}};
  collect_values(state, index, selection.index_values);
  state.heap.edit_as<TensorObject>(*view.object()).selection =
      std::make_shared<const Selection>(std::move(selection));
}

bool stores_itself(const State& state, const Arguments& arguments) {
  if (arguments.positional.size() != 3) return false;
  const auto* value = state.heap.get<TensorObject>(arguments.positional[2]);
  const ObjectRef* target = arguments.positional[0].object();
  if (value == nullptr || target == nullptr || !value->selection) return false;
  std::vector<ValueId> now;
  collect_values(state, arguments.positional[1], now);
  return value->selection->base == target->id && now == value->selection->index_values &&
         same_index(value->selection->index, arguments.positional[1]);
}

}  // namespace dycl::partial_eval
