// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/plugin_abi.h"
#include "base/host_op_signature.h"
#include "base/scalar.h"

namespace dycl::runtime {
namespace {

Failure bad_plan(std::string message) {
  return fail(Blame::Package, "package.bad_plan", std::move(message), {},
              "the program was damaged or made by another version: compile it again");
}

class PlanChecker {
 public:
  explicit PlanChecker(const Artifact& artifact)
      : artifact_(artifact), plan_(artifact.plan), constant_(plan_.slots.size(), false) {}

  Status run() {
    for (const Type& type : plan_.slots)
      if (!type_fits(type)) return bad_plan("a slot's type cannot be run");
    if (Status ports = check_ports(); !ports) return ports;
    if (plan_.code.empty()) return bad_plan("the host plan has no instruction");
    for (std::size_t index = 0; index < plan_.code.size(); ++index)
      if (Status checked = check_instruction(index); !checked) return checked;
    return {};
  }

 private:
  [[nodiscard]] bool slot_fits(SlotIndex slot) const { return slot < plan_.slots.size(); }
  [[nodiscard]] bool slots_fit(const std::vector<SlotIndex>& slots) const {
    return std::ranges::all_of(slots, [&](SlotIndex slot) { return slot_fits(slot); });
  }
  [[nodiscard]] bool may_write(const std::vector<SlotIndex>& slots) const {
    return std::ranges::none_of(slots, [&](SlotIndex slot) { return constant_[slot]; });
  }
  [[nodiscard]] bool are_tensors(const std::vector<SlotIndex>& slots) const {
    return std::ranges::all_of(slots, [&](SlotIndex slot) { return plan_.slots[slot].tensor() != nullptr; });
  }

  [[nodiscard]] bool type_fits(const Type& type) const {
    if (const TensorType* tensor = type.tensor()) return !tensor->dims || dims_fit(*tensor->dims);
    if (const SeqType* seq = type.seq()) return seq->element != nullptr && type_fits(*seq->element);
    if (const OptionalType* optional = type.optional())
      return optional->element != nullptr && optional->element->optional() == nullptr &&
             type_fits(*optional->element);
    return true;
  }

  [[nodiscard]] bool dims_fit(const std::vector<Dim>& dims) const {
    return dims.size() <= DYCL_MAX_RANK && std::ranges::all_of(dims, [&](const Dim& dim) {
             if (dim.is_static() && dim.constant < 0) return false;
             return std::ranges::all_of(
                 dim.terms, [&](const auto& term) { return term.first.index() < plan_.symbols.size(); });
           });
  }

  Status check_ports() {
    for (const PlanConstant& constant : plan_.constants) {
      const auto found = artifact_.weights.find(constant.weight);
      if (!slot_fits(constant.slot) || found == artifact_.weights.end() || found->second == nullptr)
        return bad_plan(fmt::format("constant '{}' is not in the package", constant.weight));
      constant_[constant.slot] = true;
    }
    for (const PlanPort& port : plan_.inputs)
      if (port.is_state() && !artifact_.weights.contains(port.initial))
        return bad_plan(fmt::format("the first contents of '{}' are not in the package", port.name));
    for (const PlanPort& port : plan_.inputs)
      if (!slot_fits(port.slot) || !type_fits(port.type) || (constant_[port.slot] && !port.optional))
        return bad_plan(fmt::format("input '{}' has no slot of its own", port.name));
    for (const PlanPort& port : plan_.outputs)
      if (!type_fits(port.type))
        return bad_plan(fmt::format("output '{}' has no type that can be run", port.name));
    return {};
  }

  Status check_instruction(std::size_t index) {
    const PlanInstruction& instruction = plan_.code[index];
    const Status checked =
        slots_fit(instruction.dead)
            ? std::visit([&](const auto& operation) { return check(operation); }, instruction.operation)
            : Status(bad_plan("a slot does not exist"));
    if (!checked)
      return bad_plan(
          fmt::format("instruction {} of the host plan is wrong: {}", index, checked.error().message));
    const bool goes_on = std::holds_alternative<PlanCall>(instruction.operation) ||
                         std::holds_alternative<PlanHost>(instruction.operation);
    if (goes_on && index + 1 == plan_.code.size()) return bad_plan("the host plan runs off its end");
    return {};
  }

  Status check(const PlanCall& call) const {
    if (call.subnet >= plan_.subnets.size()) return bad_plan("the sub-DNN does not exist");
    if (!slots_fit(call.inputs) || !slots_fit(call.outputs)) return bad_plan("a slot does not exist");
    if (!are_tensors(call.inputs) || !are_tensors(call.outputs))
      return bad_plan("a sub-DNN takes and gives tensors only");
    if (!may_write(call.outputs)) return bad_plan("a constant is overwritten");
    return {};
  }

  Status check(const PlanHost& host) const {
    if (!slots_fit(host.inputs) || !slots_fit(host.outputs)) return bad_plan("a slot does not exist");
    if (!may_write(host.outputs)) return bad_plan("a constant is overwritten");
    const auto types_of = [&](const std::vector<SlotIndex>& slots) {
      std::vector<const Type*> types;
      for (const SlotIndex slot : slots) types.push_back(&plan_.slots[slot]);
      return types;
    };
    const auto problem =
        check_host_op(host.op, host.attributes, types_of(host.inputs), types_of(host.outputs));
    return problem ? Status(bad_plan(fmt::format("'{}': {}", name_of(host.op), *problem))) : Status();
  }

  Status check(const PlanEdge& edge) const {
    if (edge.target >= plan_.code.size()) return bad_plan("a jump leaves the program");
    std::vector<SlotIndex> written;
    for (const PlanMove& move : edge.moves) {
      if (!slot_fits(move.from) || !slot_fits(move.to)) return bad_plan("a slot does not exist");
      if (constant_[move.to]) return bad_plan("a constant is overwritten");
      written.push_back(move.to);
    }
    std::ranges::sort(written);
    if (std::ranges::adjacent_find(written) != written.end()) return bad_plan("two moves write one slot");
    return slots_fit(edge.dead) ? Status() : Status(bad_plan("a slot does not exist"));
  }

  Status check(const PlanJump& jump) const { return check(jump.edge); }

  Status check(const PlanBranch& branch) const {
    if (!slot_fits(branch.condition)) return bad_plan("a slot does not exist");
    if (Status then = check(branch.then_edge); !then) return then;
    return check(branch.else_edge);
  }

  Status check(const PlanSwitch& choice) const {
    if (!slot_fits(choice.index)) return bad_plan("a slot does not exist");
    for (const PlanEdge& edge : choice.cases)
      if (Status checked = check(edge); !checked) return checked;
    return check(choice.fallback);
  }

  Status check(const PlanReturn& result) const {
    if (!slots_fit(result.values)) return bad_plan("a slot does not exist");
    if (result.writes.size() > result.values.size()) return bad_plan("a return writes more than it has");
    for (const std::uint32_t input : result.writes)
      if (input >= plan_.inputs.size()) return bad_plan("an input that is not there is written");
    if (result.tree != nullptr) {
      const std::string defect = tree_defect(*result.tree, result.result_count());
      return defect.empty() ? Status() : Status(bad_plan("the returned structure: " + defect));
    }
    if (result.result_count() != plan_.outputs.size())
      return bad_plan("a return has another number of values than the program has outputs");
    return {};
  }

  Status check(const PlanRaise& raise) const {
    if (!slots_fit(raise.scalars)) return bad_plan("a slot does not exist");
    if (placeholder_count(raise.format) != raise.scalars.size())
      return bad_plan("a raise has another number of values than its message takes");
    return {};
  }

  const Artifact& artifact_;
  const HostPlan& plan_;
  std::vector<bool> constant_;
};

}  // namespace

Status check_plan(const Artifact& artifact) { return PlanChecker(artifact).run(); }

}  // namespace dycl::runtime
