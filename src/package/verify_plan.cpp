// SPDX-License-Identifier: Apache-2.0
#include "package/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/host_op_signature.h"
#include "base/overloaded.h"
#include "base/scalar.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/limits.h"
#include "package/manifest.h"
#include "package/verify_type.h"

namespace dycl {
namespace {

Failure bad_plan(std::string message) { return package_error("bad_plan", std::move(message)); }

class PlanVerifier {
 public:
  explicit PlanVerifier(const HostPlan& plan) : plan_(plan), is_constant_(plan.slots.size(), false) {}

  Status run() {
    if (plan_.slots.size() > limits::kSlots) return bad_plan("the program has too many slots");
    if (!plan_.names.empty() && plan_.names.size() != plan_.slots.size())
      return bad_plan("the program has another number of names than of slots");
    for (const auto check :
         {&PlanVerifier::check_symbols, &PlanVerifier::check_types, &PlanVerifier::check_constants,
          &PlanVerifier::check_ports, &PlanVerifier::check_subnets, &PlanVerifier::check_code})
      if (Status status = (this->*check)(); !status) return status;
    return {};
  }

 private:
  Status check_symbols() {
    for (const PlanSymbol& symbol : plan_.symbols)
      if (!symbol.range.well_formed())
        return bad_plan(fmt::format("the range {}..{} of '{}' is empty or negative", symbol.range.smallest,
                                    symbol.range.largest, shown(symbol.name)));
    return {};
  }

  Status check_types() {
    for (std::size_t slot = 0; slot < plan_.slots.size(); ++slot)
      if (auto problem = problem_of(plan_.slots[slot], plan_.symbols.size()))
        return bad_plan(fmt::format("slot {}: {}", slot, *problem));
    return {};
  }

  Status check_constants() {
    for (const PlanConstant& constant : plan_.constants) {
      if (!in_range(constant.slot)) return wild("a constant", constant.slot);
      if (is_constant_[constant.slot])
        return bad_plan(fmt::format("slot {} has two constants", constant.slot));
      if (type(constant.slot).tensor() == nullptr)
        return bad_plan(fmt::format("slot {} has a constant but is not a tensor", constant.slot));
      is_constant_[constant.slot] = true;
    }
    return {};
  }

  Status check_ports() {
    std::set<SlotIndex> slots;
    for (const auto* ports : {&plan_.inputs, &plan_.outputs}) {
      std::set<std::string_view> names;
      for (const PlanPort& port : *ports) {
        if (!names.insert(port.name).second)
          return bad_plan(fmt::format("two inputs or outputs are named '{}'", shown(port.name)));
        if (auto problem = problem_of(port.type, plan_.symbols.size()))
          return bad_plan(fmt::format("'{}': {}", shown(port.name), *problem));
      }
    }
    for (const PlanPort& input : plan_.inputs) {
      if (!in_range(input.slot)) return wild("an input", input.slot);
      if (!slots.insert(input.slot).second || is_constant_[input.slot])
        return bad_plan(
            fmt::format("slot {} of the input '{}' is taken twice", input.slot, shown(input.name)));
      if (!same_up_to_sizes(input.type, type(input.slot)))
        return bad_plan(fmt::format("the input '{}' does not fit its slot", shown(input.name)));
      if (input.optional && input.type.optional() == nullptr)
        return bad_plan(
            fmt::format("the input '{}' may be left out but is not of an optional type", shown(input.name)));
    }
    for (std::size_t index = 1; index < plan_.inputs.size(); ++index)
      if (plan_.inputs[index - 1].is_state() && !plan_.inputs[index].is_state())
        return bad_plan("an input comes after a state");
    for (const PlanPort& output : plan_.outputs)
      if (output.is_state()) return bad_plan("an output has first contents");
    return {};
  }

  Status check_subnets() {
    for (const PlanSubnet& subnet : plan_.subnets)
      if (!is_path_word(subnet.hash) || !is_path_word(subnet.backend))
        return bad_plan(fmt::format("the sub-DNN '{}' has no proper hash or backend", shown(subnet.name)));
    return {};
  }

  Status check_code() {
    if (plan_.code.empty()) return bad_plan("the program has no instructions");
    for (at_ = 0; at_ < plan_.code.size(); ++at_) {
      const PlanInstruction& instruction = plan_.code[at_];
      Status status =
          std::visit([this](const auto& operation) { return check(operation); }, instruction.operation);
      if (status) status = check_dead(instruction.dead);
      if (!status) return status;
    }
    if (!blocks_in_order()) return bad_plan("the blocks are not in the order of the code");
    const PlanOperation& last = plan_.code.back().operation;
    if (std::holds_alternative<PlanCall>(last) || std::holds_alternative<PlanHost>(last))
      return bad_plan("control falls off the end of the program");
    return {};
  }

  [[nodiscard]] bool blocks_in_order() const {
    std::int64_t last = -1;
    for (const PlanBlock& block : plan_.blocks) {
      if (block.start <= last || block.start >= plan_.code.size()) return false;
      last = block.start;
    }
    return true;
  }

  Status check(const PlanCall& call) {
    if (call.subnet >= plan_.subnets.size())
      return complain(fmt::format("sub-DNN {} does not exist", call.subnet));
    if (Status status = check_reads(call.inputs); !status) return status;
    if (Status status = check_writes(call.outputs); !status) return status;
    for (const auto* slots : {&call.inputs, &call.outputs})
      for (const SlotIndex slot : *slots)
        if (type(slot).tensor() == nullptr)
          return complain(fmt::format("slot {} goes to or from a sub-DNN but is not a tensor", slot));
    return {};
  }

  Status check(const PlanHost& host) {
    if (Status status = check_reads(host.inputs); !status) return status;
    if (Status status = check_writes(host.outputs); !status) return status;
    const std::vector<const Type*> inputs = types(host.inputs);
    const std::vector<const Type*> outputs = types(host.outputs);
    if (auto problem = check_host_op(host.op, host.attributes, inputs, outputs))
      return complain(fmt::format("host operation {}: {}", name_of(host.op), *problem));
    if (host.op != HostOp::Write) return {};
    const auto input = std::get<std::int64_t>(host.attributes.at("input"));
    if (input < 0 || std::cmp_greater_equal(input, plan_.inputs.size()) ||
        plan_.inputs[written_input(host)].is_state())
      return complain("a write goes to an input that is not there, or that is a state");
    return check_contents(written_input(host), host.inputs[0]);
  }

  Status check(const PlanJump& jump) { return check_edge(jump.edge); }

  Status check(const PlanBranch& branch) {
    if (Status status = check_scalar(branch.condition, ScalarKind::Bool, "a branch needs a bool"); !status)
      return status;
    if (Status status = check_edge(branch.then_edge); !status) return status;
    return check_edge(branch.else_edge);
  }

  Status check(const PlanSwitch& choice) {
    if (Status status = check_scalar(choice.index, ScalarKind::I64, "a switch needs an int"); !status)
      return status;
    for (const PlanEdge& edge : choice.cases)
      if (Status status = check_edge(edge); !status) return status;
    return check_edge(choice.fallback);
  }

  Status check_written(const PlanReturn& result) {
    if (result.writes.size() > result.values.size()) return complain("a return writes more than it has");
    for (std::size_t index = 0; index < result.writes.size(); ++index) {
      const std::uint32_t input = result.writes[index];
      if (input >= plan_.inputs.size() || (index > 0 && input <= result.writes[index - 1]))
        return complain("a return writes an input twice, or one that is not there");
      const SlotIndex contents = result.values[result.result_count() + index];
      if (Status status = check_contents(input, contents); !status) return status;
    }
    return {};
  }

  Status check_contents(std::uint32_t input, SlotIndex contents) {
    const PlanPort& port = plan_.inputs[input];
    const bool is_kept = port.is_state() || type(contents).tensor() != nullptr;
    if (is_kept && same_up_to_sizes(type(contents), port.type)) return {};
    return complain(fmt::format("what is written to the input '{}' is of another type", shown(port.name)));
  }

  Status check(const PlanReturn& result) {
    if (Status status = check_reads(result.values); !status) return status;
    if (Status status = check_written(result); !status) return status;
    if (result.tree != nullptr) {
      if (!plan_.outputs.empty()) return complain("a structure is returned by a program that lists outputs");
      const std::string defect = tree_defect(*result.tree, result.result_count());
      return defect.empty() ? Status() : complain("the returned structure: " + defect);
    }
    if (result.result_count() != plan_.outputs.size())
      return complain(fmt::format("{} values are returned, the program has {} outputs", result.result_count(),
                                  plan_.outputs.size()));
    for (std::size_t index = 0; index < result.result_count(); ++index)
      if (!same_up_to_sizes(type(result.values[index]), plan_.outputs[index].type))
        return complain(
            fmt::format("the value for output '{}' is of another type", shown(plan_.outputs[index].name)));
    return {};
  }

  Status check(const PlanRaise& raise) {
    if (Status status = check_reads(raise.scalars); !status) return status;
    for (const SlotIndex slot : raise.scalars)
      if (type(slot).scalar() == nullptr) return complain("only scalars can be part of a message");
    std::vector<ScalarKind> kinds;
    for (const SlotIndex slot : raise.scalars) kinds.push_back(type(slot).scalar()->kind);
    if (placeholder_count(raise.format) != shown_count(raise.format, kinds.size(), raise.attributes))
      return complain("the message does not take as many scalars as are given");
    const std::string defect = defect_of_raise(raise.format, kinds, raise.attributes);
    return defect.empty() ? Status() : complain(defect);
  }

  Status check_edge(const PlanEdge& edge) {
    if (edge.target >= plan_.code.size())
      return complain(fmt::format("instruction {} does not exist", edge.target));
    std::set<SlotIndex> written;
    for (const PlanMove& move : edge.moves) {
      if (!in_range(move.from)) return wild("a move", move.from);
      if (!in_range(move.to)) return wild("a move", move.to);
      if (is_constant_[move.to])
        return complain(fmt::format("slot {} is a constant and cannot be written", move.to));
      if (!written.insert(move.to).second) return complain(fmt::format("two moves write slot {}", move.to));
      if (!same_up_to_sizes(type(move.from), type(move.to)))
        return complain(fmt::format("slot {} does not fit slot {}", move.from, move.to));
    }
    for (const SlotIndex slot : edge.dead)
      if (written.contains(slot))
        return complain(fmt::format("slot {} is written and released at once", slot));
    return check_dead(edge.dead);
  }

  Status check_dead(const std::vector<SlotIndex>& dead) {
    std::set<SlotIndex> seen;
    for (const SlotIndex slot : dead) {
      if (!in_range(slot)) return wild("a released value", slot);
      if (is_constant_[slot])
        return complain(fmt::format("slot {} is a constant and cannot be released", slot));
      if (!seen.insert(slot).second) return complain(fmt::format("slot {} is released twice", slot));
    }
    return {};
  }

  Status check_reads(const std::vector<SlotIndex>& slots) {
    for (const SlotIndex slot : slots)
      if (!in_range(slot)) return wild(fmt::format("instruction {}", at_), slot);
    return {};
  }

  Status check_writes(const std::vector<SlotIndex>& slots) {
    std::set<SlotIndex> seen;
    for (const SlotIndex slot : slots) {
      if (!in_range(slot)) return wild(fmt::format("instruction {}", at_), slot);
      if (is_constant_[slot])
        return complain(fmt::format("slot {} is a constant and cannot be written", slot));
      if (!seen.insert(slot).second) return complain(fmt::format("slot {} is written twice", slot));
    }
    return {};
  }

  Status check_scalar(SlotIndex slot, ScalarKind kind, std::string_view complaint) {
    if (!in_range(slot)) return wild(fmt::format("instruction {}", at_), slot);
    if (type(slot) != Type(ScalarType{kind})) return complain(std::string(complaint));
    return {};
  }

  [[nodiscard]] bool in_range(SlotIndex slot) const { return slot < plan_.slots.size(); }
  [[nodiscard]] const Type& type(SlotIndex slot) const { return plan_.slots[slot]; }
  [[nodiscard]] std::vector<const Type*> types(const std::vector<SlotIndex>& slots) const {
    std::vector<const Type*> result;
    for (const SlotIndex slot : slots) result.push_back(&type(slot));
    return result;
  }
  static Failure wild(std::string_view who, SlotIndex slot) {
    return bad_plan(fmt::format("{} names slot {}, which does not exist", who, slot));
  }
  [[nodiscard]] Failure complain(std::string problem) const {
    return bad_plan(fmt::format("instruction {}: {}", at_, problem));
  }

  const HostPlan& plan_;
  std::vector<bool> is_constant_;
  std::size_t at_ = 0;
};

}  // namespace

Status verify_plan(const HostPlan& plan) {
  if (Status status = PlanVerifier(plan).run(); !status) return status;
  return verify_flow(plan);
}

}  // namespace dycl
