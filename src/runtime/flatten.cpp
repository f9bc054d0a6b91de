// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/element.h"
#include "base/overloaded.h"
#include "runtime/flat_plan.h"
#include "runtime/flat_shapes.h"

namespace dycl::runtime {
namespace {

// Appends instruction after instruction; verification has accepted every index before.
class Flattener {
 public:
  Flattener(const HostPlan& plan, FlatPlan& flat) : plan_(plan), flat_(flat) {}

  void add(const PlanInstruction& instruction) {
    FlatInstruction code;
    current_ = static_cast<std::uint32_t>(flat_.code.size());
    std::visit([&](const auto& operation) { fill(operation, instruction.dead, code); },
               instruction.operation);
    flat_.code.push_back(code);
  }

 private:
  using Slots = std::vector<SlotIndex>;

  // A slot that is written again here holds a new value already.
  Range dead_slots(const Slots& dead, const Slots& written) {
    Slots kept;
    for (const SlotIndex slot : dead)
      if (std::ranges::find(written, slot) == written.end()) kept.push_back(slot);
    return append_slots(kept);
  }

  Range append_slots(const Slots& slots) {
    const Range range{static_cast<std::uint32_t>(flat_.slots.size()),
                      static_cast<std::uint32_t>(slots.size())};
    flat_.slots.insert(flat_.slots.end(), slots.begin(), slots.end());
    return range;
  }

  // The last mention of a slot that dies here (or that a return leaves behind) may take the value.
  Range append_operands(const Slots& slots, const Slots& dead, bool all_die = false) {
    const Range range{static_cast<std::uint32_t>(flat_.operands.size()),
                      static_cast<std::uint32_t>(slots.size())};
    for (std::size_t index = 0; index < slots.size(); ++index) {
      const SlotIndex slot = slots[index];
      const bool dies = all_die || std::ranges::find(dead, slot) != dead.end();
      const bool again =
          std::find(slots.begin() + static_cast<std::ptrdiff_t>(index) + 1, slots.end(), slot) != slots.end();
      flat_.operands.push_back({slot, dies && !again && !flat_.is_constant[slot]});
    }
    return range;
  }

  Range append_moves(const PlanEdge& edge, const Slots& dead) {
    const Range range{static_cast<std::uint32_t>(flat_.moves.size()),
                      static_cast<std::uint32_t>(edge.moves.size())};
    for (std::size_t index = 0; index < edge.moves.size(); ++index) {
      const PlanMove& move = edge.moves[index];
      const auto reads = [&](const PlanMove& other) { return other.from == move.from; };
      const auto writes = [&](const PlanMove& other) { return other.to == move.from; };
      const bool again =
          std::any_of(edge.moves.begin() + static_cast<std::ptrdiff_t>(index) + 1, edge.moves.end(), reads);
      const bool dies =
          std::ranges::find(dead, move.from) != dead.end() || std::ranges::any_of(edge.moves, writes);
      flat_.moves.push_back({move.from, move.to, dies && !again && !flat_.is_constant[move.from]});
    }
    return range;
  }

  // What dies at the instruction dies on each of its edges, after the moves that may still read it.
  FlatEdge flat_edge(const PlanEdge& edge, const Slots& dead_here) {
    Slots dead = edge.dead;
    dead.insert(dead.end(), dead_here.begin(), dead_here.end());
    Slots written;
    for (const PlanMove& move : edge.moves) written.push_back(move.to);
    FlatEdge flat;
    flat.target = edge.target;
    flat.moves = append_moves(edge, dead);
    flat.dead = dead_slots(dead, written);
    flat.through_scratch = std::ranges::any_of(edge.moves, [&](const PlanMove& move) {
      return std::ranges::find(written, move.from) != written.end();
    });
    flat.backward = edge.target <= current_;
    flat_.most_moves = std::max(flat_.most_moves, edge.moves.size());
    return flat;
  }

  Range append_edges(std::initializer_list<const PlanEdge*> edges, const Slots& dead) {
    const Range range{static_cast<std::uint32_t>(flat_.edges.size()),
                      static_cast<std::uint32_t>(edges.size())};
    for (const PlanEdge* edge : edges) flat_.edges.push_back(flat_edge(*edge, dead));
    return range;
  }

  void fill(const PlanCall& call, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Call;
    code.subject = call.subnet;
    code.inputs = append_operands(call.inputs, dead);
    code.outputs = append_slots(call.outputs);
    code.dead = dead_slots(dead, call.outputs);
    flat_.most_call_inputs = std::max(flat_.most_call_inputs, call.inputs.size());
    flat_.most_call_outputs =
        std::max(flat_.most_call_outputs, call.outputs.size() + plan_.subnets[call.subnet].guards.size());
  }

  void fill(const PlanHost& host, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Host;
    code.op = host.op;
    code.subject = static_cast<std::uint32_t>(flat_.attributes.size());
    flat_.attributes.push_back(attributes_of(host));
    code.inputs = append_operands(host.inputs, dead);
    code.outputs = append_slots(host.outputs);
    code.dead = dead_slots(dead, host.outputs);
  }

  FlatAttributes attributes_of(const PlanHost& host) {
    FlatAttributes flat;
    flat.axis = attribute_or<std::int64_t>(host.attributes, "axis", 0);
    flat.new_axis = attribute_or<std::int64_t>(host.attributes, "new_axis", 0) != 0;
    flat.keepdims = attribute_or<std::int64_t>(host.attributes, "keepdims", 1) != 0;
    flat.dtype =
        dtype_from_name(attribute_or<std::string>(host.attributes, "dtype", "")).value_or(DType::F32);
    flat.value = constant_of(host);
    flat.plan = &host;
    if (family_of(host.op) == HostOpFamily::Scalar)
      if (const ScalarType* type = plan_.slots[host.outputs[0]].scalar())
        flat.context = scalar_context(host.op, host.attributes, type->kind);
    const auto sizes = attribute_or<std::vector<std::int64_t>>(host.attributes, "dims", {});
    flat.sizes = {static_cast<std::uint32_t>(flat_.sizes.size()), static_cast<std::uint32_t>(sizes.size())};
    flat_.sizes.insert(flat_.sizes.end(), sizes.begin(), sizes.end());
    return flat;
  }

  Scalar constant_of(const PlanHost& host) const {
    if (host.op != HostOp::Const) return false;
    const ScalarType* type = plan_.slots[host.outputs[0]].scalar();
    const auto integer = attribute_or<std::int64_t>(host.attributes, "value", 0);
    switch (type == nullptr ? ScalarKind::I64 : type->kind) {
      case ScalarKind::Bool: return integer != 0;
      case ScalarKind::I64: return integer;
      case ScalarKind::F64:
        return attribute_or<double>(host.attributes, "value", static_cast<double>(integer));
    }
    return integer;
  }

  void fill(const PlanJump& jump, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Jump;
    code.edges = append_edges({&jump.edge}, dead);
  }

  void fill(const PlanBranch& branch, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Branch;
    code.subject = branch.condition;
    code.edges = append_edges({&branch.then_edge, &branch.else_edge}, dead);
  }

  void fill(const PlanSwitch& choice, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Switch;
    code.subject = choice.index;
    code.edges = {static_cast<std::uint32_t>(flat_.edges.size()),
                  static_cast<std::uint32_t>(choice.cases.size() + 1)};
    for (const PlanEdge& edge : choice.cases) flat_.edges.push_back(flat_edge(edge, dead));
    flat_.edges.push_back(flat_edge(choice.fallback, dead));
  }

  void fill(const PlanReturn& result, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Return;
    code.inputs = append_operands(result.values, dead, true);
  }

  void fill(const PlanRaise& raise, const Slots& dead, FlatInstruction& code) {
    code.kind = FlatKind::Raise;
    code.inputs = append_operands(raise.scalars, dead);
  }

  const HostPlan& plan_;
  FlatPlan& flat_;
  std::uint32_t current_ = 0;
};

// What a state begins with, as base/first_contents.h says.
Result<RuntimeValue> first_value(const Artifact& artifact, const PlanPort& state) {
  if (state.type.optional() != nullptr) return RuntimeValue();
  const SeqType* sequence = state.type.seq();
  std::vector<RuntimeValue> values;
  for (const std::string& weight : *state.initial) {
    const TensorPtr& contents = artifact.weights.at(weight);
    if (sequence != nullptr && sequence->element->scalar() != nullptr) {
      auto number = element_at(*contents, 0);
      if (!number) return failure_of(std::move(number));
      values.emplace_back(*number);
      continue;
    }
    auto tensor = RuntimeTensor::share(contents);
    if (!tensor) return failure_of(std::move(tensor));
    values.emplace_back(std::move(*tensor));
  }
  return sequence == nullptr ? std::move(values.front()) : RuntimeValue::sequence(std::move(values));
}

Status add_constants(const Artifact& artifact, FlatPlan& flat) {
  flat.is_constant.assign(artifact.plan.slots.size(), false);
  for (const PlanConstant& constant : artifact.plan.constants) {
    auto tensor = RuntimeTensor::share(artifact.weights.at(constant.weight));
    if (!tensor) {
      tensor.error().blame = Blame::Package;
      return failure_of(std::move(tensor));
    }
    flat.is_constant[constant.slot] = true;
    flat.constants.push_back({constant.slot, std::move(*tensor)});
  }
  for (const PlanPort& port : artifact.plan.inputs) {
    if (!port.is_state()) continue;
    auto value = first_value(artifact, port);
    if (!value) return failure_of(std::move(value));
    flat.initial_states.push_back(std::move(*value));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<FlatPlan>> flatten_plan(const Artifact& artifact) {
  auto flat = std::make_unique<FlatPlan>();
  if (Status added = add_constants(artifact, *flat); !added) return failure_of(std::move(added));
  add_shapes(artifact.plan, *flat);
  for (const PlanSubnet& subnet : artifact.plan.subnets)
    flat->subnets.push_back({0, static_cast<std::uint32_t>(subnet.guards.size())});
  Flattener flattener(artifact.plan, *flat);
  for (const PlanInstruction& instruction : artifact.plan.code) flattener.add(instruction);
  return flat;
}

}  // namespace dycl::runtime
