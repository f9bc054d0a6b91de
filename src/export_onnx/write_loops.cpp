// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "export_onnx/exporter.h"

namespace dycl::export_onnx {

Exporter::Outcome Exporter::write_loop(BlockId header) {
  const LoopRegion& loop = structure_.loops.at(header);
  std::vector<BlockId> behind = loop.after;
  if (!frames_.empty()) {
    // Ways out of the loop around this one, and its next trip, are taken right behind this one.
    const LoopRegion& around = *frames_.back().loop;
    std::erase_if(behind, [&](BlockId block) { return !around.contains(block); });
    pending_.insert(behind.begin(), behind.end());
    for (const BlockId exit : loop.exits)
      if (!around.contains(exit) || exit == around.header) behind.push_back(exit);
  } else {
    pending_.insert(behind.begin(), behind.end());
  }
  return settle(loop.tests_first ? write_testing_loop(loop) : write_general_loop(loop), behind);
}

// Values of a way out: which exit (where there are several), the arguments of each, what escapes.
std::vector<Type> Exporter::leaving_types(const LoopRegion& loop) const {
  std::vector<Type> types;
  if (loop.exits.size() > 1) types.emplace_back(ScalarType{ScalarKind::I64});
  for (const BlockId exit : loop.exits)
    for (const ValueId parameter : graph_.blocks[exit.index()].parameters)
      types.push_back(graph_.type_of(parameter));
  for (const ValueId value : loop.escaping) types.push_back(graph_.type_of(value));
  return types;
}

Exporter::Outcome Exporter::leave(BlockId target, const Names& arguments) {
  const LoopRegion& loop = *frames_.back().loop;
  Names values;
  if (loop.exits.size() > 1) values.push_back(writer_.integer(target.value));
  for (const BlockId exit : loop.exits) {
    if (exit == target) {
      values.insert(values.end(), arguments.begin(), arguments.end());
      continue;
    }
    for (const ValueId parameter : graph_.blocks[exit.index()].parameters)
      values.push_back(writer_.placeholder(graph_.type_of(parameter)));
  }
  for (const ValueId value : loop.escaping)
    values.push_back(structure_.is_live_at(value, target) ? name_of(value)
                                                          : writer_.placeholder(graph_.type_of(value)));
  return {"", {{way_out(), std::move(values)}}};
}

// The reverse of `leave`, outside the loop.
Exporter::Outcome Exporter::ways_out(const LoopRegion& loop, const Names& values) {
  Outcome outcome;
  auto next = values.begin();
  if (loop.exits.size() > 1) outcome.which = *next++;
  for (const BlockId exit : loop.exits) {
    const auto count = std::ssize(graph_.blocks[exit.index()].parameters);
    outcome.exits.push_back({exit, {next, next + count}});
    next += count;
  }
  for (const ValueId value : loop.escaping) define(value, *next++);
  return outcome;
}

// The body's inputs: the trip and the condition, which nothing reads, and the carried values.
Exporter::Names Exporter::open_body(Subgraph& body, const std::vector<Type>& carried) {
  const auto add = [&](const char* hint, const Type& type) {
    onnx::ValueInfoProto& input = *body.graph.add_input();
    input.set_name(writer_.fresh(hint));
    *input.mutable_type() = type_proto(type);
    return input.name();
  };
  add("trip", ScalarType{ScalarKind::I64});
  add("go", ScalarType{ScalarKind::Bool});
  Names names;
  for (const Type& type : carried) names.push_back(add("c", type));
  writer_.open(body);
  return names;
}

// The header's steps once more, for the values that its parameters have now: shall the body run?
std::string Exporter::loop_test(const LoopRegion& loop) {
  write_steps(loop.header);
  const auto& branch = std::get<Branch>(graph_.blocks[loop.header.index()].terminator);
  const std::string condition =
      unless_failed(loop.header, name_of(branch.condition), ScalarType{ScalarKind::Bool});
  return loop.contains(branch.then_edge.target) ? condition : writer_.node("Not", {condition});
}

Exporter::Outcome Exporter::write_testing_loop(const LoopRegion& loop) {
  const Block& header = graph_.blocks[loop.header.index()];
  const auto& branch = std::get<Branch>(header.terminator);
  const bool inside_first = loop.contains(branch.then_edge.target);
  std::vector<Type> types;
  for (const ValueId parameter : header.parameters) types.push_back(graph_.type_of(parameter));
  const Names entry = names_of(header.parameters);
  const std::string first_test = loop_test(loop);

  Subgraph body;
  const std::set<BlockId> pending = std::exchange(pending_, {});
  scopes_.emplace_back();
  ++depth_;
  const Names carried = open_body(body, types);
  bind(header.parameters, carried);
  frames_.push_back({&loop, carried});
  write_steps(loop.header);
  const Outcome outcome = follow(inside_first ? branch.then_edge : branch.else_edge);
  if (!problem_) {
    check_targets(outcome, {once_more()});
    const Names next = outcome.exits.front().values;
    bind(header.parameters, next);
    writer_.add_output(loop_test(loop), ScalarType{ScalarKind::Bool});
    for (std::size_t slot = 0; slot < next.size(); ++slot) writer_.add_output(next[slot], types[slot]);
  }
  frames_.pop_back();
  writer_.close();
  --depth_;
  scopes_.pop_back();
  pending_ = pending;

  bind(header.parameters, writer_.loop_node(first_test, entry, std::move(body)));
  write_steps(loop.header);
  return follow(inside_first ? branch.else_edge : branch.then_edge);
}

Exporter::Outcome Exporter::write_general_loop(const LoopRegion& loop) {
  const Block& header = graph_.blocks[loop.header.index()];
  std::vector<Type> types;
  for (const ValueId parameter : header.parameters) types.push_back(graph_.type_of(parameter));
  const std::vector<Type> leaving = leaving_types(loop);
  Names entry = names_of(header.parameters);
  for (const Type& type : leaving) entry.push_back(writer_.placeholder(type));

  Subgraph body;
  const std::set<BlockId> pending = std::exchange(pending_, {});
  scopes_.emplace_back();
  ++depth_;
  Names carried = open_body(body, types);
  for (const Type& type : leaving) {
    onnx::ValueInfoProto& input = *body.graph.add_input();
    input.set_name(writer_.fresh("out"));
    *input.mutable_type() = element_type_proto(type);
  }
  bind(header.parameters, carried);
  frames_.push_back({&loop, carried});
  const Outcome outcome = write_block(loop.header);
  if (!problem_) {
    check_targets(outcome, {once_more(), way_out()});
    const Exit* again = outcome.find(once_more());
    const Exit* out = outcome.find(way_out());
    const bool both = again != nullptr && out != nullptr;
    writer_.add_output(both ? writer_.node("Equal", {outcome.which, writer_.integer(once_more().value)})
                            : writer_.truth(again != nullptr),
                       ScalarType{ScalarKind::Bool});
    for (std::size_t slot = 0; slot < types.size(); ++slot)
      writer_.add_output(again != nullptr ? again->values[slot] : carried[slot], types[slot]);
    for (std::size_t slot = 0; slot < leaving.size(); ++slot)
      writer_.add_output(out != nullptr ? out->values[slot] : writer_.placeholder(leaving[slot]),
                         leaving[slot]);
  }
  frames_.pop_back();
  writer_.close();
  --depth_;
  scopes_.pop_back();
  pending_ = pending;

  Names results = writer_.loop_node(writer_.truth(true), entry, std::move(body));
  results.erase(results.begin(), results.begin() + std::ssize(types));
  return ways_out(loop, results);
}

}  // namespace dycl::export_onnx
