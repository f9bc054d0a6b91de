// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/join.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

#include "hcfg/type_join.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_state.h"

namespace dycl::partial_eval {
namespace {

// A register without a variable holds what a comprehension collects, or a part of an expression.
std::string shown(const std::string& name) { return name.starts_with('%') ? "what it collects" : name; }

// The same in every evaluation: of what is kept from call to call its path, of other objects their class.
std::string name_of_live(const Machine& machine, const nb::object& live) {
  for (const StateSlot& slot : machine.marks.state_slots)
    if (slot.owner.is(live) && slot.name.starts_with('<')) return slot.shown;
  return nb::cast<std::string>(nb::str(live.type().attr("__qualname__")));
}

}  // namespace

std::optional<ValueId> id_of(const State& state, const AbstractValue& side) {
  if (side.scalar() != nullptr) return side.scalar()->id;
  if (const auto* tensor = state.heap.get<TensorObject>(side)) return tensor->value;
  if (const auto* sequence = state.heap.get<SequenceObject>(side)) return sequence->value;
  return std::nullopt;
}

Join::Join(Machine& machine, std::vector<const State*> states, JoinOptions options)
    : machine_(machine), states_(std::move(states)), options_(options), taken_(states_.size()) {}

std::optional<State> Join::run() {
  const State& first = *states_.front();
  joined_ = State{};
  joined_.heap = first.heap.empty_copy();
  joined_.contexts = first.contexts;
  joined_.watched = first.watched;
  for (const State* state : states_) {
    if (state->frames.size() != first.frames.size() || state->contexts.size() != first.contexts.size())
      return std::nullopt;
    for (std::size_t index = 0; index < first.contexts.size(); ++index)
      if (!state->contexts[index].is(first.contexts[index])) return std::nullopt;
    if (machine_.marks.variants_apart && state->begun_as != first.begun_as) return std::nullopt;
  }
  const bool alike = options_.exact || options_.of_calls;
  if (!frames() || !overlay() || !belongings(&State::ports, "input") ||
      !belongings(&State::containers, "argument") || !drawn() || (alike && !united_.empty()))
    return std::nullopt;
  for (const State* state : states_) {
    joined_.begun_as.insert(state->begun_as.begin(), state->begun_as.end());
    joined_.makers_of_shared.insert(state->makers_of_shared.begin(), state->makers_of_shared.end());
  }
  if (options_.exact && joined_.makers_of_shared != first.makers_of_shared) return std::nullopt;
  unite_storages();
  if (!freeze_elements()) return std::nullopt;
  for (const auto& [id, truth] : first.truths) {
    const bool shared =
        std::all_of(states_.begin(), states_.end(), [&, id = id, truth = truth](const State* state) {
          const auto found = state->truths.find(id);
          return found != state->truths.end() && found->second == truth;
        });
    if (shared) joined_.truths.emplace(id, truth);
  }
  join_size_facts();
  return std::move(joined_);
}

bool Join::frames() {
  const std::size_t count = states_.front()->frames.size();
  for (std::size_t depth = 0; depth < count; ++depth) {
    std::vector<const Frame*> sides;
    for (const State* state : states_) sides.push_back(state->frames[depth].get());
    Frame joined;
    place_ = root_of_frame(depth);
    const bool is_top = depth + 1 == count;
    if (!frame(sides, joined, live_registers(*states_.front(), depth), is_top)) {
      if (failed_) failed_->depth = depth;
      return false;
    }
    joined_.frames.push_back(std::make_shared<Frame>(std::move(joined)));
  }
  return true;
}

// A model of a builtin is called from many places; what one of them needs is not what all need.
std::string Join::root_of_frame(std::size_t depth) const {
  const auto& frames = states_.front()->frames;
  std::size_t first = depth;
  while (first > 0 && machine_.torch.is_prelude(frames[first]->function->ir.file)) --first;
  std::string callers;
  for (std::size_t index = first; index < depth; ++index)
    callers += frames[index]->function->ir.qualified_name + ":" + std::to_string(frames[index]->block.value) +
               ":" + std::to_string(frames[index]->instruction) + ">";
  return callers;
}

bool Join::differ_at(const RegisterPlace& place) {
  const std::size_t count = states_.front()->frames.size();
  if (place.depth >= count) return false;
  const Frame& first = *states_.front()->frames[place.depth];
  Sides sides;
  for (const State* state : states_) {
    const bool is_alike =
        state->frames.size() == count && state->frames[place.depth]->function == first.function;
    if (!is_alike) return false;
    sides.push_back(state->frames[place.depth]->registers[place.id.index()]);
  }
  enter_register(first, root_of_frame(place.depth), place.id);
  joined_.heap = states_.front()->heap.empty_copy();
  return !value(sides);
}

void Join::enter_register(const Frame& frame, const std::string& root, program::RegisterId id) {
  const program::Function& function = frame.function->ir;
  place_ = root + function.file + ":" + function.qualified_name + ":" + std::to_string(frame.block.value) +
           ":" + function.register_of(id).name;
}

void Join::note_obstacle(const Frame& frame, program::RegisterId id) {
  failed_ = {0, id};
  if (!obstacle.empty()) return;
  const std::string needed = machine_.marks.needed_at(place_);
  obstacle =
      shown(frame.function->ir.register_of(id).name) + (needed.empty() ? "" : ", needed at " + needed + ",");
}

bool Join::frame(const std::vector<const Frame*>& sides, Frame& joined,
                 const std::vector<program::RegisterId>& live, bool is_top) {
  const Frame& first = *sides.front();
  const bool is_suspended = first.generator.valid();
  const std::string root = place_;
  for (const Frame* side : sides) {
    const bool iterations =
        side->iterations == first.iterations || ((is_top || is_suspended) && !options_.same_iterations);
    if (side->function != first.function || side->block != first.block || !iterations ||
        side->instruction != first.instruction || side->on_return != first.on_return ||
        side->operand != first.operand || side->replaced.size() != first.replaced.size())
      return false;
  }
  joined = first;
  std::fill(joined.registers.begin(), joined.registers.end(), AbstractValue());
  const program::Function& function = first.function->ir;
  for (const program::RegisterId id : live) {
    enter_register(first, root, id);
    Sides values;
    for (const Frame* side : sides) values.push_back(side->registers[id.index()]);
    auto result = value(values);
    if (!result) {
      note_obstacle(first, id);
      return false;
    }
    joined.registers[id.index()] = std::move(*result);
  }
  place_ = root + function.file + ":" + function.qualified_name + ":kept";
  Sides kept;
  for (const Frame* side : sides) kept.push_back(side->kept);
  auto result = value(kept);
  if (!result) return false;
  joined.kept = std::move(*result);
  for (std::size_t index = 0; index < first.replaced.size(); ++index) {
    Sides replaced;
    for (const Frame* side : sides) replaced.push_back(side->replaced[index].second);
    auto operand = value(replaced);
    if (!operand) return false;
    joined.replaced[index].second = std::move(*operand);
  }
  if (!first.generator.valid()) return true;
  Sides generators;
  for (const Frame* side : sides) generators.push_back(ObjectRef{side->generator});
  auto generator = value(generators);
  if (!generator) return false;
  joined.generator = generator->object()->id;
  return true;
}

bool Join::overlay() {
  for (const auto& [live, first] : states_.front()->overlay.entries()) {
    Sides twins;
    for (const State* state : states_) twins.push_back(*state->overlay.find(live));
    place_ = "object:" + name_of_live(machine_, live);
    auto twin = value(twins);
    if (!twin || twin->object() == nullptr) {
      if (obstacle.empty()) obstacle = place_.substr(7);
      return false;
    }
    joined_.overlay.set(live, *twin->object());
  }
  return true;
}

// Of the caller: tensors, and what holds them.
template <class Number>
bool Join::belongings(std::map<Number, ObjectRef> State::* of_caller, const char* kind) {
  for (const auto& [number, object] : states_.front()->*of_caller) {
    Sides sides;
    for (const State* state : states_) sides.push_back((state->*of_caller).at(number));
    place_ = fmt::format("{}:{}", kind, number);
    auto joined = value(sides);
    if (!joined || joined->object() == nullptr) return false;
    (joined_.*of_caller).emplace(number, *joined->object());
  }
  return true;
}

// Nothing needs these counts at compile time: they keep no states apart, whatever else must be known.
bool Join::drawn() {
  std::set<std::size_t> places;
  for (const State* state : states_)
    for (const auto& [place, count] : state->drawn) places.insert(place);
  for (const std::size_t place : places) {
    Sides counts;
    for (const State* state : states_) {
      const auto found = state->drawn.find(place);
      counts.push_back(found == state->drawn.end() ? known_int(0) : found->second);
    }
    const bool all_scalars = std::ranges::all_of(counts, [](const auto& side) { return side.scalar(); });
    const bool same = all_scalars && std::ranges::all_of(counts, [&](const auto& side) {
                        return side.scalar()->id == counts.front().scalar()->id;
                      });
    const bool all_known = std::ranges::all_of(counts, [](const auto& side) { return side.constant(); });
    const bool as_known = all_known && statics(counts).has_value();
    if (options_.exact && !all_scalars && !as_known) return false;
    joined_.drawn.emplace(
        place, same || as_known ? counts.front() : scalar_parameter(ScalarKind::I64, counts, false));
  }
  return true;
}

bool Join::may_generalise() const { return options_.generalise && !machine_.marks.kept_apart(place_); }

Origins Join::origin() {
  return std::make_shared<std::set<OriginId>>(
      std::set<OriginId>{machine_.marks.origin(place_, !options_.same_iterations && !options_.of_calls)});
}

// A path may have found out, by a test, a size that the type of its value leaves open.
Type Join::opened(Type type, const Sides& sides) const {
  const Hcfg& graph = machine_.emitter.graph;
  auto* wanted = std::get_if<TensorType>(&type);
  if (wanted == nullptr || !wanted->dims) return type;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const std::optional<ValueId> id = id_of(*states_[index], sides[index]);
    const TensorType* given = id ? graph.type_of(*id).tensor() : nullptr;
    if (given == nullptr || !given->dims || given->dims->size() != wanted->dims->size()) continue;
    for (std::size_t axis = 0; axis < wanted->dims->size(); ++axis)
      if (!(*given->dims)[axis].is_static()) (*wanted->dims)[axis] = open_dim();
  }
  return type;
}

ValueId Join::parameter(Type type, const char* name, const Sides& sides) {
  Hcfg& graph = machine_.emitter.graph;
  if (options_.commit) type = refresh_symbols(opened(std::move(type), sides), fresh_symbols(graph));
  const ValueId id = options_.commit ? graph.add_value(type, name) : ValueId(0);
  values.push_back({std::move(type), name, sides, id});
  return id;
}

AbstractValue Join::scalar_parameter(ScalarKind kind, const Sides& sides, bool gives_up) {
  Origins origins = gives_up ? origin() : nullptr;
  for (const AbstractValue& side : sides)
    if (const ScalarValue* scalar = side.scalar()) origins = united(origins, scalar->origins);
  return ScalarValue{parameter(ScalarType{kind}, "n", sides), kind, std::move(origins)};
}

std::optional<AbstractValue> Join::value(const Sides& sides) {
  Sides now;
  for (std::size_t index = 0; index < sides.size(); ++index)
    now.push_back(current(*states_[index], sides[index]));
  const auto all = [&](auto predicate) { return std::all_of(now.begin(), now.end(), predicate); };
  if (all([](const AbstractValue& side) { return !side.bound(); })) return AbstractValue();
  if (!all([](const AbstractValue& side) { return side.bound(); })) return std::nullopt;
  if (all([](const AbstractValue& side) { return side.object() != nullptr; })) return objects(now);
  if (all([](const AbstractValue& side) { return side.constant() != nullptr; }))
    if (auto same = statics(now)) return same;
  if (auto numbers = scalars(now)) return numbers;
  if (auto joined = tensors(now)) return joined;
  if (auto joined = tuples(now)) return joined;
  // Tuples that are known stay so, where paths meet: a shape, most often. In a loop they grow.
  const bool all_known = all([](const AbstractValue& side) { return side.constant() != nullptr; });
  if (all_known && options_.same_iterations) return std::nullopt;
  return sequence(now, joined_.heap.add(Object(TupleObject{})).id);
}

// Two bound methods of one object and function are as good as one.
bool same_method(const nb::object& left, const nb::object& right) {
  return PyMethod_Check(left.ptr()) && PyMethod_Check(right.ptr()) &&
         PyMethod_GET_SELF(left.ptr()) == PyMethod_GET_SELF(right.ptr()) &&
         PyMethod_GET_FUNCTION(left.ptr()) == PyMethod_GET_FUNCTION(right.ptr());
}

std::optional<AbstractValue> Join::statics(const Sides& sides) {
  for (const AbstractValue& side : sides) {
    const nb::object& first = *sides.front().constant();
    if (!same_static(first, *side.constant()) && !same_method(first, *side.constant())) return std::nullopt;
  }
  return sides.front();
}

std::optional<AbstractValue> Join::scalars(const Sides& sides) {
  const auto kind = number_kind(sides.front());
  if (!kind) return std::nullopt;
  bool any_known = false, same = true;
  for (const AbstractValue& side : sides) {
    if (number_kind(side) != kind) return std::nullopt;
    any_known = any_known || side.scalar() == nullptr;
    if (side.scalar() == nullptr && !known_scalar(side)) return std::nullopt;  // beyond 64 bits
    same = same && side.scalar() != nullptr && sides.front().scalar() != nullptr &&
           side.scalar()->id == sides.front().scalar()->id;
  }
  if (options_.exact && !same_size_facts(sides)) return std::nullopt;
  if (same) return sides.front();
  if (any_known && !may_generalise()) return std::nullopt;
  AbstractValue joined = scalar_parameter(*kind, sides, any_known);
  if (kind == ScalarKind::I64) join_size(joined, sides);
  return joined;
}

StorageId Join::joined_storage(const std::vector<StorageId>& sides) {
  const auto [entry, is_new] = storages_.try_emplace(sides);
  if (!is_new) return entry->second;
  const bool is_one = std::ranges::all_of(sides, [&](StorageId side) { return side == sides.front(); });
  const bool stays = is_one && machine_.inputs.offsets.contains(sides.front());
  entry->second = stays ? sides.front() : fresh_storage();  // an input's is known by its storage
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const auto [side, is_first] = storage_of_side_.try_emplace({index, sides[index]}, entry->second);
    if (!is_first) united_[representative(entry->second)] = representative(side->second);
  }
  return entry->second;
}

StorageId Join::representative(StorageId storage) {
  auto parent = united_.find(storage);
  while (parent != united_.end() && parent->second != storage) {
    storage = parent->second;
    parent = united_.find(storage);
  }
  return storage;
}

bool Join::is_united(StorageId storage) {
  return std::any_of(united_.begin(), united_.end(), [&](const auto& entry) {
    return entry.first != entry.second && (entry.first == storage || entry.second == storage);
  });
}

void Join::unite_storages() {
  std::vector<ObjectRef> tensors_found;
  joined_.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && is_united(tensor->storage)) tensors_found.push_back(ref);
  });
  for (const ObjectRef ref : tensors_found) {
    auto& tensor = joined_.heap.edit_as<TensorObject>(ref);
    tensor.storage = representative(tensor.storage);
    tensor.at = std::nullopt;  // they share memory on some paths only
  }
  for (const auto& [sides, joined] : storages_)
    for (std::size_t index = 0; index < sides.size(); ++index)
      if (escaped_.contains({index, sides[index]})) let_escape(joined_, representative(joined));
}

// What lies in a sequence on one path, or from now on, is not written to. False: the sides differ in that,
// and must not.
bool Join::freeze_elements() {
  for (const auto& [ids, joined] : pairs_) {
    const auto is_frozen = [&, &ids = ids](std::size_t index) {
      return states_[index]->heap.is_frozen(ObjectRef{ids[index]}) ||
             put_into_list_.contains({index, ids[index]});
    };
    for (std::size_t index = 0; index < ids.size(); ++index) {
      if (options_.exact && is_frozen(index) != is_frozen(0)) return false;
      if (!is_frozen(index)) continue;
      const auto now = put_into_list_.find({index, ids[index]});
      joined_.heap.freeze(ObjectRef{joined},
                          united(states_[index]->heap.origins_of_frozen(ObjectRef{ids[index]}),
                                 now == put_into_list_.end() ? nullptr : now->second));
    }
  }
  return true;
}

// Tensors that are one object on some paths and two on others: two from now on. Whoever asks for their
// identity or writes to one of them undoes the meeting.
std::optional<AbstractValue> Join::split_tensor(const std::vector<HeapId>& ids,
                                                const std::vector<const Object*>& sides) {
  const bool all_tensors = std::all_of(sides.begin(), sides.end(), [](const Object* side) {
    return std::holds_alternative<TensorObject>(*side);
  });
  if (!all_tensors || !may_generalise()) return std::nullopt;
  std::optional<Object> joined = tensor_content(sides);
  if (!joined) return std::nullopt;
  const Origins given_up = origin();
  std::get<TensorObject>(*joined).identity = united(std::get<TensorObject>(*joined).identity, given_up);
  const ObjectRef made = joined_.heap.add(std::move(*joined));
  pairs_.emplace(ids, made.id);
  for (std::size_t index = 0; index < ids.size(); ++index) {
    const HeapId other = taken_[index].try_emplace(ids[index], made.id).first->second;
    if (other == made.id || !joined_.heap.contains(other)) continue;
    auto& tensor = joined_.heap.edit_as<TensorObject>(ObjectRef{other});
    tensor.identity = united(tensor.identity, given_up);
  }
  return made;
}

StorageId Join::storage_of_live(const nb::object& live) {
  const auto [entry, is_new] = live_storages_.try_emplace(storage_key(live));
  if (is_new) entry->second = fresh_storage();
  return entry->second;
}

// Tensors of one type, of which some may be live ones: weights become values.
std::optional<AbstractValue> Join::tensors(const Sides& sides) {
  TensorObject joined;
  std::vector<SpecPtr> specs;
  std::vector<StorageId> storages;
  bool same_value = true;
  std::optional<ValueId> first_value;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const auto* tensor = states_[index]->heap.get<TensorObject>(sides[index]);
    const nb::object* live = sides[index].constant();
    if (tensor == nullptr && (live == nullptr || !machine_.torch.is_tensor(*live))) return std::nullopt;
    const WatchedMemory* written = machine_.across_calls.watched.get();
    if (tensor == nullptr && options_.of_calls && written != nullptr && written->holds(*live))
      return std::nullopt;  // its contents change with those of another
    specs.push_back(tensor != nullptr ? tensor->spec : machine_.torch.spec_of(*live));
    if (tensor != nullptr) joined.escaped = joined.escaped || tensor->escaped;
    if (tensor != nullptr)
      joined.unwritten = joined_unwritten(machine_, joined.unwritten, tensor->unwritten, false);
    joined.free_layout = joined.free_layout || (tensor != nullptr && tensor->free_layout);
    joined.free_sharing = joined.free_sharing || (tensor != nullptr && tensor->free_sharing);
    joined.made_contiguous = joined.made_contiguous || (tensor != nullptr && tensor->made_contiguous);
    if (tensor != nullptr) joined.layout = united(joined.layout, tensor->layout);
    if (tensor != nullptr) joined.sharing = united(joined.sharing, tensor->sharing);
    joined.outside =
        joined.outside || (tensor != nullptr ? tensor->outside : !machine_.ownership.created.contains(*live));
    if (tensor != nullptr) joined.identity = united(joined.identity, tensor->identity);
    if (tensor == nullptr) note_shared(machine_, joined_, *live);
    storages.push_back(tensor != nullptr ? tensor->storage : storage_of_live(*live));
    const std::optional<ValueId> id = tensor != nullptr ? std::optional(tensor->value) : std::nullopt;
    if (!first_value) first_value = id;
    same_value = same_value && id && id == first_value;
  }
  if (!may_generalise()) return std::nullopt;
  joined.spec = joined_spec(specs);
  if (joined.spec == nullptr) return std::nullopt;
  if (!have_one_layout(specs)) joined.layout = united(joined.layout, origin());
  joined.identity = united(joined.identity, origin());  // with the live tensor
  joined.storage = joined_storage(storages);
  joined.value = same_value ? *first_value : parameter(joined.spec->type, "x", sides);
  return joined_.make(std::move(joined));
}

std::optional<AbstractValue> Join::tuples(const Sides& sides) {
  std::vector<std::vector<AbstractValue>> items;
  nb::object type;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    std::vector<AbstractValue>& side = items.emplace_back();
    nb::object side_type;
    if (const auto* tuple = states_[index]->heap.get<TupleObject>(sides[index])) {
      side = tuple->items;
      side_type = tuple->type;
    } else if (sides[index].constant() != nullptr && PyTuple_Check(sides[index].constant()->ptr())) {
      for (const nb::handle item : *sides[index].constant()) side.push_back(known(nb::borrow(item)));
      side_type = nb::borrow(sides[index].constant()->type());
    } else {
      return std::nullopt;
    }
    if (!type.is_valid()) type = side_type;
    if (!type.is(side_type) || side.size() != items.front().size()) return std::nullopt;
  }
  std::vector<const std::vector<AbstractValue>*> pointers;
  for (const auto& side : items) pointers.push_back(&side);
  std::vector<AbstractValue> joined;
  if (!join_all(joined, pointers)) return std::nullopt;
  return joined_.make(TupleObject{std::move(joined), type});
}

std::optional<AbstractValue> Join::objects(const Sides& sides) {
  std::vector<HeapId> ids;
  for (const AbstractValue& side : sides) ids.push_back(side.object()->id);
  if (const auto found = pairs_.find(ids); found != pairs_.end()) return ObjectRef{found->second};
  std::vector<const Object*> contents_of;
  for (std::size_t index = 0; index < sides.size(); ++index)
    contents_of.push_back(&states_[index]->heap.at(*sides[index].object()));
  const bool all_tuples = std::all_of(contents_of.begin(), contents_of.end(), [](const Object* object) {
    return std::holds_alternative<TupleObject>(*object);
  });
  const bool shared = [&] {  // on one path, and not on another
    for (std::size_t index = 0; index < ids.size(); ++index)
      if (taken_[index].contains(ids[index])) return true;
    return used_.contains(ids.front());
  }();
  if (shared && !all_tuples) return split_tensor(ids, contents_of);
  // The first state's id, unless another combination has taken it.
  const bool is_free = used_.insert(ids.front()).second;
  const HeapId id = is_free ? ids.front() : joined_.heap.add(Object(TupleObject{})).id;
  for (std::size_t index = 0; index < sides.size(); ++index) taken_[index].emplace(ids[index], id);
  pairs_.emplace(ids, id);
  std::optional<Object> joined = contents(contents_of);
  if (!joined) return sequence(sides, id);
  joined_.heap.put(id, std::move(*joined));
  return ObjectRef{id};
}

}  // namespace dycl::partial_eval
