// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/element.h"
#include "export_onnx/exporter.h"

namespace dycl::export_onnx {
namespace {

// Readers of protobuf refuse files of more than 100 messages inside each other; a subgraph is three.
constexpr std::size_t kDeepest = 28;

}  // namespace

const Exporter::Exit* Exporter::Outcome::find(BlockId target) const {
  const auto found = std::ranges::find(exits, target, &Exit::target);
  return found == exits.end() ? nullptr : &*found;
}

void Exporter::check_targets(const Outcome& outcome, std::initializer_list<BlockId> targets) const {
  for (const Exit& exit : outcome.exits)
    if (std::ranges::find(targets, exit.target) == targets.end())
      internal_error(fmt::format("nothing follows block {} of {}", exit.target.value, graph_.name));
}

Exporter::Outcome Exporter::enter(BlockId target, const Names& arguments) {
  bind(graph_.blocks[target.index()].parameters, arguments);
  return structure_.loops.contains(target) ? write_loop(target) : write_block(target);
}

Exporter::Outcome Exporter::go_to(BlockId target, Names arguments) {
  if (!frames_.empty()) {
    const LoopRegion& loop = *frames_.back().loop;
    if (target == loop.header) return {"", {{once_more(), std::move(arguments)}}};
    if (!loop.contains(target)) return leave(target, arguments);
  }
  if (pending_.contains(target)) return {"", {{target, std::move(arguments)}}};
  return enter(target, arguments);
}

Exporter::Outcome Exporter::follow(const Edge& edge) { return go_to(edge.target, names_of(edge.arguments)); }

Exporter::Outcome Exporter::write_block(BlockId block) {
  write_steps(block);
  std::vector<BlockId> behind = structure_.merges[block.index()];
  if (!frames_.empty())
    std::erase_if(behind, [&](BlockId merge) { return !frames_.back().loop->contains(merge); });
  pending_.insert(behind.begin(), behind.end());
  return settle(write_terminator(block), behind);
}

Exporter::Outcome Exporter::write_terminator(BlockId block) {
  return std::visit(Overloaded{
                        [&](const Jump& jump) { return follow(jump.edge); },
                        [&](const Branch& branch) {
                          return choose(
                              unless_failed(block, name_of(branch.condition), ScalarType{ScalarKind::Bool}),
                              [&] { return follow(branch.then_edge); },
                              [&] { return follow(branch.else_edge); });
                        },
                        [&](const Switch& choice) {
                          const std::string index =
                              unless_failed(block, name_of(choice.index), ScalarType{ScalarKind::I64});
                          return write_switch(choice, index, 0);
                        },
                        [&](const Return&) { return write_return(block); },
                        [](const Raise&) -> Outcome { internal_error("a raise was not refused"); },
                    },
                    graph_.blocks[block.index()].terminator);
}

Exporter::Outcome Exporter::write_return(BlockId block) {
  Names values;
  for (const ReturnedValue& value : results_.returns.at(block)) {
    if (const auto* id = std::get_if<ValueId>(&value))
      values.push_back(name_of(*id));
    else
      values.push_back(writer_.constant(
          *tensor_of_scalar(std::get<Scalar>(value), dtype_of(kind_of(std::get<Scalar>(value))), {})));
  }
  if (const auto port = results_.number_or_tensor())
    values[*port] = unless_failed(block, values[*port], results_.ports[*port].type);
  return {"", {{finished(), std::move(values)}}};
}

// Cases one after the other; the index may be out of range.
Exporter::Outcome Exporter::write_switch(const Switch& choice, const std::string& index, std::size_t first) {
  if (first == choice.cases.size()) return follow(choice.fallback);
  const std::string is_case =
      writer_.node("Equal", {index, writer_.integer(static_cast<std::int64_t>(first))});
  return choose(
      is_case, [&] { return follow(choice.cases[first]); },
      [&] { return write_switch(choice, index, first + 1); });
}

// Writes the blocks that were waiting for all paths to reach them.
Exporter::Outcome Exporter::settle(Outcome outcome, const std::vector<BlockId>& pending) {
  for (const BlockId block : pending) {
    pending_.erase(block);
    const Exit* found = outcome.find(block);
    if (found == nullptr) continue;
    const Exit exit = *found;
    if (outcome.exits.size() == 1) {
      outcome = go_to(exit.target, exit.values);
      continue;
    }
    Outcome others = outcome;
    std::erase_if(others.exits, [&](const Exit& other) { return other.target == block; });
    const std::string is_next = writer_.node("Equal", {outcome.which, writer_.integer(block.value)});
    if (others.exits.size() == 1) others.which.clear();
    outcome = choose(is_next, [&] { return go_to(exit.target, exit.values); }, [&] { return others; });
  }
  return outcome;
}

std::vector<Type> Exporter::slots_of(BlockId target) const {
  std::vector<Type> types;
  if (target == finished()) {
    for (const ResultPort& port : results_.ports) types.push_back(port.type);
    return types;
  }
  if (target == way_out()) return leaving_types(*frames_.back().loop);
  const BlockId block = target == once_more() ? frames_.back().loop->header : target;
  for (const ValueId parameter : graph_.blocks[block.index()].parameters)
    types.push_back(graph_.type_of(parameter));
  return types;
}

// A path that leaves the loop keeps what the next trip would have got: it has the right types.
std::string Exporter::stand_in(BlockId target, std::size_t slot, const Type& type) {
  if (target == once_more()) return frames_.back().carried[slot];
  return writer_.placeholder(type);
}

Exporter::Arm Exporter::write_arm(const Write& write) {
  Arm arm;
  const std::set<BlockId> pending = pending_;
  scopes_.emplace_back();
  writer_.open(arm.subgraph);
  if (++depth_ <= kDeepest)
    arm.outcome = write();
  else if (!problem_)
    problem_ = fail(Blame::Unsupported, "export.too_deep",
                    fmt::format("the file would have more than {} conditions inside each other", kDeepest),
                    {}, "split the model, or turn long chains of conditions into tables")
                   .value();
  --depth_;
  writer_.close();
  scopes_.pop_back();
  pending_ = pending;
  return arm;
}

// Both arms give the same outputs: which exit is taken, then the arguments of each.
void Exporter::finish_arm(Arm& arm, const std::vector<BlockId>& targets) {
  writer_.open(arm.subgraph);
  if (targets.size() > 1) {
    const Outcome& outcome = arm.outcome;
    const std::string which =
        outcome.exits.size() > 1 ? outcome.which : writer_.integer(outcome.exits.front().target.value);
    writer_.add_output(which, ScalarType{ScalarKind::I64});
  }
  for (const BlockId target : targets) {
    const Exit* exit = arm.outcome.find(target);
    const std::vector<Type> types = slots_of(target);
    for (std::size_t slot = 0; slot < types.size(); ++slot)
      writer_.add_output(exit != nullptr ? exit->values[slot] : stand_in(target, slot, types[slot]),
                         types[slot]);
  }
  writer_.close();
}

Exporter::Outcome Exporter::choose(const std::string& condition, const Write& then_branch,
                                   const Write& else_branch) {
  Arm then_arm = write_arm(then_branch);
  Arm else_arm = write_arm(else_branch);
  std::vector<BlockId> targets;
  for (const Arm* arm : {&then_arm, &else_arm})
    for (const Exit& exit : arm->outcome.exits)
      if (std::ranges::find(targets, exit.target) == targets.end()) targets.push_back(exit.target);
  if (problem_) return then_arm.outcome.exits.empty() ? else_arm.outcome : then_arm.outcome;
  finish_arm(then_arm, targets);
  finish_arm(else_arm, targets);
  const Names outputs =
      writer_.if_node(condition, std::move(then_arm.subgraph), std::move(else_arm.subgraph));
  Outcome outcome;
  auto next = outputs.begin();
  if (targets.size() > 1) outcome.which = *next++;
  for (const BlockId target : targets) {
    const auto count = static_cast<std::ptrdiff_t>(slots_of(target).size());
    outcome.exits.push_back({target, {next, next + count}});
    next += count;
  }
  return outcome;
}

}  // namespace dycl::export_onnx
