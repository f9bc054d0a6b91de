// SPDX-License-Identifier: Apache-2.0
#include "host_gen/host_gen.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "base/overloaded.h"
#include "hcfg/uses.h"

namespace dycl::host_gen {
namespace {

class HostGenerator {
 public:
  HostGenerator(const Hcfg& graph, std::span<const subnet::SubnetInstance> subnets)
      : graph_(graph), flow_(control_flow(graph)), live_(liveness(graph, flow_, use_table(graph))) {
    constants_.update(graph);
    for (const subnet::SubnetInstance& subnet : subnets) subnets_[{subnet.block, subnet.step}] = &subnet;
  }

  GeneratedHost run() {
    for (const Port& input : graph_.inputs) add_input(input);
    for (const Port& output : graph_.outputs)
      plan().outputs.push_back({output.name, plan_type(output.type), 0, false});
    for (const BlockId block : flow_.order) add_block(block);
    for (PlanInstruction& instruction : plan().code) patch_targets(instruction);
    return std::move(result_);
  }

 private:
  HostPlan& plan() { return result_.plan; }

  void add_input(const Port& input) {
    PlanPort port{input.name, plan_type(input.type), slot_of(input.value), input.optional};
    if (input.is_state()) {
      port.initial.emplace();
      for (const TensorPtr& tensor : *input.initial) {
        port.initial->push_back(subnet::weight_name(*tensor));
        result_.weights.emplace(port.initial->back(), tensor);
      }
    }
    plan().inputs.push_back(std::move(port));
  }

  void add_block(BlockId id) {
    const Block& block = graph_.blocks[id.index()];
    starts_[id] = static_cast<std::uint32_t>(plan().code.size());
    plan().blocks.push_back({starts_[id], id.value});
    const std::size_t first = plan().code.size();
    std::vector<std::vector<ValueId>> touched;  // by instruction: values it uses or defines
    for (std::size_t step = 0; step < block.steps.size(); ++step) add_step(id, step, touched);
    add_terminator(id, block);
    mark_dead(first, touched, id, block);
  }

  void add_step(BlockId block, std::size_t index, std::vector<std::vector<ValueId>>& touched) {
    const Step& step = graph_.blocks[block.index()].steps[index];
    if (const auto* host = std::get_if<HostStep>(&step)) {
      PlanHost operation{host->op, host->attributes, slots_of(host->inputs), slots_of(host->outputs)};
      emit(std::move(operation), host->source);
      touched.push_back(host->inputs);
      touched.back().insert(touched.back().end(), host->outputs.begin(), host->outputs.end());
      return;
    }
    const auto found = subnets_.find({block, index});
    if (found == subnets_.end()) return;  // nothing needs it
    const subnet::SubnetInstance& subnet = *found->second;
    std::vector<ValueId> outputs = subnet.graph.outputs;
    outputs.resize(outputs.size() - subnet.guards.size());
    PlanCall call{static_cast<std::uint32_t>(plan().subnets.size()), slots_of(subnet.graph.inputs),
                  slots_of(outputs)};
    plan().subnets.push_back(describe(subnet));
    emit(std::move(call), source_of(std::get<SubnetStep>(step).ops.front()));
    touched.push_back(subnet.graph.inputs);
    touched.back().insert(touched.back().end(), outputs.begin(), outputs.end());
  }

  PlanSubnet describe(const subnet::SubnetInstance& subnet) const {
    PlanSubnet described{subnet.name, subnet.hash, subnet.backend, {}};
    for (const legalize::Guard& guard : subnet.guards) {
      auto [source, callers] = stack_of(guard.source);
      described.guards.push_back({guard.type, guard.message, std::move(source), std::move(callers)});
    }
    return described;
  }

  void add_terminator(BlockId id, const Block& block) {
    std::visit(Overloaded{
                   [&](const Jump& jump) { emit(PlanJump{edge(id, block, jump.edge)}, block.source); },
                   [&](const Branch& branch) {
                     emit(PlanBranch{slot_of(branch.condition), edge(id, block, branch.then_edge),
                                     edge(id, block, branch.else_edge)},
                          block.source);
                   },
                   [&](const Switch& choice) {
                     PlanSwitch operation{slot_of(choice.index), {}, edge(id, block, choice.fallback)};
                     for (const Edge& way : choice.cases) operation.cases.push_back(edge(id, block, way));
                     emit(std::move(operation), block.source);
                   },
                   [&](const Return& ret) {
                     emit(PlanReturn{slots_of(ret.values), ret.tree, ret.writes}, block.source);
                   },
                   [&](const Raise& raise) {
                     emit(PlanRaise{raise.type, raise.format, slots_of(raise.scalars), raise.attributes},
                          block.source);
                   },
               },
               block.terminator);
  }

  // The target holds the block's number until all blocks have their place.
  PlanEdge edge(BlockId from, const Block& block, const Edge& way) {
    PlanEdge result{static_cast<std::uint32_t>(way.target.index()), {}, {}};
    const std::vector<ValueId>& parameters = graph_.blocks[way.target.index()].parameters;
    std::set<SlotIndex> written;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      const PlanMove move{slot_of(way.arguments[index]), slot_of(parameters[index])};
      written.insert(move.to);
      if (move.from != move.to) result.moves.push_back(move);
    }
    std::set<ValueId> alive = live_before_transfer(from, block);
    for (const ValueId value : live_.live_in[way.target.index()]) alive.erase(value);
    for (const ValueId value : alive)
      if (!written.contains(slot_of(value))) result.dead.push_back(slot_of(value));
    return result;
  }

  [[nodiscard]] std::set<ValueId> live_before_transfer(BlockId id, const Block& block) const {
    const std::vector<ValueId>& out = live_.live_out[id.index()];
    std::set<ValueId> alive(out.begin(), out.end());
    for_each_use(block.terminator, [&](ValueId value) {
      if (!is_constant(value)) alive.insert(value);
    });
    return alive;
  }

  // Walks the block backwards: the last instruction that touches a value may consume it.
  void mark_dead(std::size_t first, const std::vector<std::vector<ValueId>>& touched, BlockId id,
                 const Block& block) {
    std::set<ValueId> needed = live_before_transfer(id, block);
    for (std::size_t index = touched.size(); index-- > 0;)
      for (const ValueId value : touched[index])
        if (!is_constant(value) && needed.insert(value).second)
          plan().code[first + index].dead.push_back(slot_of(value));
  }

  [[nodiscard]] bool is_constant(ValueId value) const { return constants_.find(graph_, value) != nullptr; }

  void emit(PlanOperation operation, SourceId source) {
    auto [span, callers] = stack_of(source);
    plan().code.push_back({std::move(operation), {}, std::move(span), std::move(callers)});
  }

  [[nodiscard]] std::pair<SourceSpan, std::vector<SourceSpan>> stack_of(SourceId source) const {
    std::vector<SourceSpan> stack = graph_.source_stack(source);
    if (stack.empty()) return {};
    SourceSpan innermost = std::move(stack.front());
    stack.erase(stack.begin());
    return {std::move(innermost), std::move(stack)};
  }

  void patch_targets(PlanInstruction& instruction) {
    const auto patch = [&](PlanEdge& way) { way.target = starts_.at(BlockId(way.target)); };
    std::visit(Overloaded{
                   [](const PlanCall&) {},
                   [](const PlanHost&) {},
                   [&](PlanJump& jump) { patch(jump.edge); },
                   [&](PlanBranch& branch) {
                     patch(branch.then_edge);
                     patch(branch.else_edge);
                   },
                   [&](PlanSwitch& choice) {
                     std::ranges::for_each(choice.cases, patch);
                     patch(choice.fallback);
                   },
                   [](const PlanReturn&) {},
                   [](const PlanRaise&) {},
               },
               instruction.operation);
  }

  std::vector<SlotIndex> slots_of(const std::vector<ValueId>& values) {
    std::vector<SlotIndex> slots;
    for (const ValueId value : values) slots.push_back(slot_of(value));
    return slots;
  }

  SlotIndex slot_of(ValueId value) {
    const auto [entry, added] = slots_.emplace(value, static_cast<SlotIndex>(plan().slots.size()));
    if (!added) return entry->second;
    plan().slots.push_back(plan_type(graph_.type_of(value)));
    plan().names.push_back(graph_.value(value).name);
    if (const TensorPtr* constant = constants_.find(graph_, value)) {
      const std::string name = subnet::weight_name(**constant);
      result_.weights.emplace(name, *constant);
      plan().constants.push_back({entry->second, name});
    }
    return entry->second;
  }

  // Types with symbols renumbered: the plan lists only those that it needs.
  Type plan_type(const Type& type) {
    if (const SeqType* seq = type.seq()) return seq_of(plan_type(*seq->element));
    if (const OptionalType* optional = type.optional()) return optional_of(plan_type(*optional->element));
    if (const TensorType* tensor = type.tensor(); tensor != nullptr && tensor->dims) {
      TensorType renumbered = *tensor;
      for (Dim& dim : *renumbered.dims) dim = plan_dim(dim);
      return renumbered;
    }
    return type;
  }

  Dim plan_dim(const Dim& dim) {
    Dim renumbered(dim.constant);
    for (const auto& [symbol, factor] : dim.terms) {
      const auto [entry, added] = symbols_.emplace(symbol, SymbolId(plan().symbols.size()));
      if (added) {
        const Symbol& named = graph_.symbols[symbol.index()];
        plan().symbols.push_back({unique_symbol(named.name), named.range});
      }
      renumbered = renumbered + Dim(entry->second) * factor;
    }
    return renumbered;
  }

  // Types are stored as text, so a symbol's name must be a word.
  static std::string as_word(std::string name) {
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "d");
    return name;
  }

  std::string unique_symbol(const std::string& name) {
    const std::string word = as_word(name);
    std::string unique = word;
    for (std::size_t& next = next_suffix_[word]; !used_names_.insert(unique).second; ++next)
      unique = word + "_" + std::to_string(next);
    return unique;
  }

  const Hcfg& graph_;
  const ControlFlow flow_;
  const Liveness live_;
  ConstantTable constants_;
  std::map<std::pair<BlockId, std::size_t>, const subnet::SubnetInstance*> subnets_;
  std::unordered_map<BlockId, std::uint32_t> starts_;
  std::unordered_map<ValueId, SlotIndex> slots_;
  std::unordered_map<SymbolId, SymbolId> symbols_;
  std::map<std::string, std::size_t> next_suffix_;
  std::set<std::string> used_names_;
  GeneratedHost result_;
};

}  // namespace

GeneratedHost generate_host(const Hcfg& graph, std::span<const subnet::SubnetInstance> subnets) {
  return HostGenerator(graph, subnets).run();
}

}  // namespace dycl::host_gen
