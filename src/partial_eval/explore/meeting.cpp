// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/meeting.h"

#include "partial_eval/data/elements.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/explore/join.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/live_state.h"

namespace dycl::partial_eval {
namespace {

void make_twin(Machine& machine, State& state, const nb::object& live) {
  if (PyCell_Check(live.ptr())) {
    // What is read after the meeting may be what the closure held before the call.
    machine.across_calls.live_reads.try_emplace({live.ptr(), kCellContents}, machine.spans(state));
    PyObject* content = PyCell_GET(live.ptr());
    const AbstractValue value = content == nullptr ? AbstractValue() : known(nb::borrow(content));
    state.overlay.set(live, state.heap.add(Object(CellObject{value})));
  } else if (machine.torch.is_tensor(live)) {
    twin_of_tensor(machine, state, live, "a path that meets another here");
  } else {
    twin_of(machine, state, live);
  }
}

}  // namespace

ValueId argument_of(Machine& machine, State& state, const JoinedValue& joined, const AbstractValue& side) {
  if (joined.type.seq() != nullptr) {
    if (const auto* known_sequence = state.heap.get<SequenceObject>(side)) return known_sequence->value;
    if (side.scalar() != nullptr) return side.scalar()->id;  // carries the id alone
    std::vector<ValueId> items;
    const std::vector<AbstractValue> elements = *known_elements(state, side);
    for (const AbstractValue& item : elements)
      items.push_back(
          joined.of_constants
              ? scalar_id(machine, state, known(nb::int_(machine.constants.place_of(*item.constant()))))
              : item_id(machine, state, part_in_column(state, *joined.element, item, joined.column)));
    return list_of(machine, state, std::move(items), joined.type);
  }
  const bool is_id_alone = side.scalar() != nullptr && joined.type.scalar() == nullptr;
  return is_id_alone ? side.scalar()->id : item_id(machine, state, side);
}

std::vector<const State*> pointers_to(const std::vector<State>& states) {
  std::vector<const State*> pointers;
  for (const State& state : states) pointers.push_back(&state);
  return pointers;
}

void align(Machine& machine, std::vector<State>& states) {
  for (State& state : states)
    drop_dead(state, [&](const GeneratorObject& generator) { refuse_abandoned(machine, state, generator); });
  LiveSet written;
  for (const State& state : states)
    for (const auto& [live, twin] : state.overlay.entries()) {
      written.insert(live);
      if (!machine.torch.is_tensor(live)) continue;
      for (const nb::object& tensor : created_in_storage_of(machine, live)) written.insert(tensor);
    }
  for (State& state : states)
    for (const auto& [live, mark] : written.entries())
      if (!state.overlay.contains(live)) make_twin(machine, state, live);
}

void jump_all(Machine& machine, std::vector<State>& states, const std::vector<JoinedValue>& values,
              dycl::BlockId target) {
  for (std::size_t index = 0; index < states.size(); ++index) {
    std::vector<ValueId> arguments;
    for (const JoinedValue& value : values)
      arguments.push_back(argument_of(machine, states[index], value, value.sides[index]));
    machine.emitter.jump(states[index], target, std::move(arguments), machine.source(states[index]));
  }
}

namespace {

// What keeps states apart: in words, and the register that shows it.
struct Apart {
  std::string obstacle;
  std::optional<RegisterPlace> at;
};

// Gives the one state behind the meeting, or says what keeps the states apart.
std::optional<State> meet_as_one(Machine& machine, std::vector<State>& states, Apart& apart) {
  Hcfg& graph = machine.emitter.graph;
  const auto values = static_cast<std::ptrdiff_t>(graph.values.size());
  const auto symbols = static_cast<std::ptrdiff_t>(graph.symbols.size());
  Join join(machine, pointers_to(states), {.commit = true});
  std::optional<State> joined = join.run();
  if (!joined) {
    apart = {join.obstacle, join.failed()};
    graph.values.erase(graph.values.begin() + values, graph.values.end());
    graph.symbols.erase(graph.symbols.begin() + symbols, graph.symbols.end());
    return std::nullopt;
  }
  joined->block = machine.emitter.new_block();
  for (const JoinedValue& value : join.values)
    graph.blocks[joined->block.index()].parameters.push_back(value.parameter);
  jump_all(machine, states, join.values, joined->block);
  return joined;
}

// Paths that stay apart go side by side through all that follows, and most often one register tells all of
// them apart: the one that did so last is asked first.
bool can_meet(Machine& machine, const std::vector<State>& states, Apart& apart) {
  if (apart.at && Join(machine, pointers_to(states), {}).differ_at(*apart.at)) return false;
  Join join(machine, pointers_to(states), {});
  const bool met = join.run().has_value();
  if (!met) apart = {join.obstacle, join.failed()};
  return met;
}

}  // namespace

std::vector<State> meet(Machine& machine, std::vector<State> states) {
  if (states.size() == 1) return states;
  align(machine, states);
  Apart apart;
  // Where all can meet, this is one walk; adding one state after the other would be many.
  if (auto joined = meet_as_one(machine, states, apart)) return {std::move(*joined)};
  std::vector<std::vector<State>> groups;
  for (State& state : states) {
    bool placed = false;
    for (std::vector<State>& group : groups) {
      group.push_back(state);
      placed = can_meet(machine, group, apart);
      if (placed) break;
      group.pop_back();
    }
    if (!placed) groups.push_back({std::move(state)});
  }
  if (groups.size() > machine.options.states_limit)
    machine.refuse(groups.front().front(), "python.states_limit",
                   "more than " + std::to_string(machine.options.states_limit) +
                       " paths meet here that differ in what is known at compile time" +
                       (apart.obstacle.empty() ? "" : ", in " + apart.obstacle),
                   "keep what differs in tensors or numbers, or raise states_limit");
  std::vector<State> met;
  for (std::vector<State>& group : groups) {
    auto joined = group.size() == 1 ? std::move(group.front()) : meet_as_one(machine, group, apart);
    if (!joined) internal_error("states that could meet do not");
    met.push_back(*std::move(joined));
  }
  return met;
}

bool same_statics(Machine& machine, const State& earlier, const State& later) {
  std::vector<State> states{earlier, later};
  align(machine, states);
  const JoinOptions options{.generalise = false, .same_iterations = false};
  return Join(machine, pointers_to(states), options).run().has_value();
}

}  // namespace dycl::partial_eval
