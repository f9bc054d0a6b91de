// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/calls.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/data/numbers.h"
#include "partial_eval/explore/kept.h"
#include "partial_eval/explore/meeting.h"
#include "partial_eval/explore/variant_entry.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// Each round generalises something; no sane program needs so many.
constexpr std::size_t kMostRoundsOfCalls = 64;

constexpr JoinOptions kOfCalls{.same_iterations = false, .commit = true, .of_calls = true};

[[noreturn]] void refuse_unsettled(const Machine& machine, const State& state, const std::string& what,
                                   const std::string& slot) {
  machine.refuse(
      state, "python.state_unsettled",
      fmt::format("{}{}", what, slot.empty() ? "" : ", which differ in " + slot),
      "let it settle: keep one kind, one set of keys and one number of elements, or raise variants_limit");
}

// ---- how a call begins

// The number that tells with which variant the call begins.
ValueId add_variant_number(Machine& machine, State& state) {
  const std::int64_t first = 0;
  auto contents =
      std::make_shared<const TensorData>(make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&first, 1)));
  AcrossCalls& calls = machine.across_calls;
  calls.variant_port =
      add_state(machine, "<variant>", TensorType{DType::I64, std::vector<Dim>{}, {}}, {contents});
  return machine.emitter.host(state, HostOp::Item, {machine.emitter.graph.inputs[calls.variant_port].value},
                              ScalarType{ScalarKind::I64}, "variant");
}

std::vector<State> entries_of(Machine& machine, State& state, std::size_t count) {
  if (count == 1) {
    state.begun_as = {0};
    return {std::move(state)};
  }
  const ValueId number = add_variant_number(machine, state);
  Switch choice{number, {}, {}};
  std::vector<State> entries;
  for (std::size_t index = 0; index < count; ++index) {
    State& entry = entries.emplace_back(state);
    entry.block = machine.emitter.new_block();
    entry.begun_as = {index};
    if (index + 1 < count) choice.cases.push_back({entry.block, {}});
  }
  choice.fallback = {entries.back().block, {}};
  machine.emitter.finish(state, std::move(choice), SourceId());
  return entries;
}

// ---- how a call ends

// What a call leaves, as an instance of a variant: the values that are not as that variant had them.
struct Match {
  std::size_t variant = 0;
  std::vector<JoinedValue> values;
};

bool is_instance(Machine& machine, const Begin& begin, const State& joined,
                 const std::vector<JoinedValue>& values) {
  for (const JoinedValue& value : values) {
    const auto id = id_of(begin.state, value.sides[0]);
    if (!id || !begin.ports.contains(*id)) return false;
  }
  const JoinOptions options{.generalise = false, .same_iterations = false, .exact = true, .of_calls = true};
  return Join(machine, {&begin.state, &joined}, options).run().has_value();
}

std::optional<Match> match(Machine& machine, const State& left) {
  const std::vector<Begin>& begins = machine.across_calls.begins;
  for (std::size_t index = 0; index < begins.size(); ++index) {
    Join join(machine, {&begins[index].state, &left}, kOfCalls);
    const std::optional<State> joined = join.run();
    if (joined && is_instance(machine, begins[index], *joined, join.values))
      return Match{index, std::move(join.values)};
  }
  return std::nullopt;
}

// What no variant covers: one is generalised, or there is one more.
void grow(Machine& machine, const State& state, const State& left) {
  AcrossCalls& calls = machine.across_calls;
  calls.has_grown = true;
  calls.grown_at = machine.spans(state);
  std::string obstacle;
  for (State& variant : calls.grown) {
    Join join(machine, {&variant, &left}, kOfCalls);
    if (std::optional<State> joined = join.run()) {
      variant = std::move(*joined);
      variant.bound_sizes = symbols_in(variant);
      return;
    }
    obstacle = join.obstacle;
  }
  if (calls.grown.size() >= machine.options.variants_limit)
    refuse_unsettled(machine, state,
                     fmt::format("calls leave more than {} variants of what the next one begins with",
                                 machine.options.variants_limit),
                     obstacle);
  calls.grown.push_back(with_own_sizes(machine, left));
}

class Departing {
 public:
  Departing(Machine& machine, State& state, std::map<std::uint32_t, ValueId>& written)
      : machine_(machine), state_(state), written_(written), source_(machine.source(state)) {}

  void write(const Match& match) {
    const Begin& begin = machine_.across_calls.begins[match.variant];
    for (const JoinedValue& value : match.values)
      write_value(begin.ports.at(*id_of(begin.state, value.sides[0])), value);
    if (machine_.across_calls.begins.size() == 1 || state_.begun_as == std::set{match.variant}) return;
    const auto number = static_cast<std::int64_t>(match.variant);
    written_.insert_or_assign(machine_.across_calls.variant_port, machine_.emitter.number(Scalar(number)));
    for (const std::size_t other : state_.begun_as)
      if (other != match.variant) clear(machine_.across_calls.begins[other]);
  }

 private:
  void write_value(std::uint32_t port, const JoinedValue& value) {
    const Type& type = machine_.emitter.graph.inputs[port].type;
    ValueId id = argument_of(machine_, state_, value, value.sides[1]);
    if (const ScalarType* scalar = value.type.scalar())
      id = machine_.emitter.tensor_of_scalar(state_, {id, scalar->kind, nullptr}, source_);
    if (type.optional() != nullptr)
      id = machine_.emitter.host(state_, HostOp::Some, {id}, type, "kept", {}, source_);
    written_.insert_or_assign(port, id);
  }

  // What another variant held is let go of.
  void clear(const Begin& begin) {
    for (const auto& [id, port] : begin.ports) {
      const Type& type = machine_.emitter.graph.inputs[port].type;
      if (type.optional() != nullptr && !written_.contains(port))
        written_.emplace(port, machine_.emitter.host(state_, HostOp::None, {}, type, "none", {}, source_));
    }
  }

  Machine& machine_;
  State& state_;
  std::map<std::uint32_t, ValueId>& written_;
  SourceId source_;
};

// Paths that began with different variants do not meet in the next evaluation.
[[noreturn]] void keep_variants_apart(Machine& machine) {
  machine.marks.variants_apart = true;
  throw Restart{};
}

// Tensors that share memory on some paths only are nowhere in particular after the paths have met.
bool has_tensor_without_place(const State& left) {
  bool found = false;
  left.heap.for_each([&](ObjectRef, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    found = found || (tensor != nullptr && !tensor->at);
  });
  return found;
}

void leave(Machine& machine, State& state, std::map<std::uint32_t, ValueId>& written) {
  const State left = kept_part(machine, state);
  if (const auto found = match(machine, left)) return Departing(machine, state, written).write(*found);
  if (state.begun_as.size() > 1 && has_tensor_without_place(left)) keep_variants_apart(machine);
  grow(machine, state, left);
}

bool has_written(Machine& machine, const State& state) {
  if (state.begun_as.size() != 1) keep_variants_apart(machine);
  const State now = kept_part(machine, state);
  const JoinOptions options{
      .generalise = false, .same_iterations = false, .any_sizes = true, .of_calls = true};
  Join join(machine, {&machine.across_calls.begins[*state.begun_as.begin()].state, &now}, options);
  return !join.run() || !join.values.empty();
}

}  // namespace

std::vector<State> begin_call(Machine& machine, State state) {
  if (!keeps_state(machine)) return {std::move(state)};
  const State first = kept_part(machine, state);
  std::vector<State>& variants = machine.marks.variants;
  if (variants.empty()) variants.push_back(first);
  std::vector<State> entries = entries_of(machine, state, variants.size());
  AcrossCalls& calls = machine.across_calls;
  for (std::size_t index = 0; index < entries.size(); ++index) {
    Begin begin = enter_variant(machine, entries[index], variants[index], index > 0);
    if (index == 0) begin_with(machine, begin, first);
    calls.grown.push_back(begin.state);
    calls.begins.push_back(std::move(begin));
  }
  calls.has_written = [&machine](const State& at) { return has_written(machine, at); };
  calls.leave = [&machine](State& at, std::map<std::uint32_t, ValueId>& written) {
    leave(machine, at, written);
  };
  return entries;
}

void settle_calls(Machine& machine) {
  if (!machine.across_calls.has_grown) return;
  if (++machine.marks.rounds_of_calls > kMostRoundsOfCalls) {
    Diagnostic diagnostic{Blame::Unsupported,
                          "python.state_unsettled",
                          "what calls leave for the next one does not settle",
                          {},
                          "keep values of one kind and size, or pass them in and return them"};
    throw Refused{placed(std::move(diagnostic), machine.across_calls.grown_at)};
  }
  machine.marks.variants = std::move(machine.across_calls.grown);
  throw Restart{.origins = {}, .calls = true};
}

}  // namespace dycl::partial_eval
