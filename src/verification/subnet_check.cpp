// SPDX-License-Identifier: Apache-2.0
#include "verification/subnet_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "export_onnx/stored_graph.h"
#include "runtime/flat_plan.h"
#include "verification/first_difference.h"
#include "verification/tensor_difference.h"

namespace dycl::verification {
namespace {

constexpr std::uint64_t kTripsBehindForced = 4;

InterpreterValue interpreter_value(const runtime::RuntimeValue& value) {
  if (const runtime::RuntimeTensor* tensor = value.tensor())
    return std::make_shared<const TensorData>(runtime::to_tensor_data(*tensor));
  if (const Scalar* scalar = value.scalar()) return *scalar;
  if (const std::string* text = value.text()) return *text;
  if (value.items() == nullptr) return OptionalValue{};
  std::vector<InterpreterValue> items;
  for (const runtime::RuntimeValue& item : *value.items()) items.push_back(interpreter_value(item));
  return SeqValue{std::make_shared<const std::vector<InterpreterValue>>(std::move(items))};
}

// Calls of sub-DNNs by block number, each block's in their order.
std::map<std::uint32_t, std::vector<std::uint32_t>> calls_by_block(const HostPlan& plan) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> calls;
  for (std::size_t index = 0; index < plan.blocks.size(); ++index) {
    const std::size_t end = index + 1 < plan.blocks.size() ? plan.blocks[index + 1].start : plan.code.size();
    for (std::size_t at = plan.blocks[index].start; at < end; ++at)
      if (const auto* call = std::get_if<PlanCall>(&plan.code[at].operation))
        calls[plan.blocks[index].number].push_back(call->subnet);
  }
  return calls;
}

}  // namespace

SubnetChecker::SubnetChecker(OnlyMake, std::shared_ptr<const runtime::LoadedProgram> program, Hcfg graph,
                             std::shared_ptr<const Backend> reference, double tolerance)
    : program_(std::move(program)),
      graph_(std::move(graph)),
      stamped_(graph_),
      reference_(std::move(reference)),
      tolerance_(tolerance),
      checks_(program_->executables().size()) {
  reset();
}

void SubnetChecker::reset() {
  states_.clear();
  for (const Port& port : graph_.inputs)
    if (port.is_state()) states_.push_back(first_value(port));
}

void SubnetChecker::keep_states(const InterpreterOutcome& outcome) {
  const std::size_t given = graph_.inputs.size() - states_.size();
  const std::size_t results = outcome.outputs.size() - outcome.writes.size();
  for (std::size_t index = 0; index < outcome.writes.size(); ++index)
    if (outcome.writes[index] >= given)
      states_[outcome.writes[index] - given] = outcome.outputs[results + index];
}

Result<std::unique_ptr<SubnetChecker>> SubnetChecker::make(
    std::shared_ptr<const runtime::LoadedProgram> program, BackendRegistry& backends, double tolerance) {
  Result<Hcfg> graph = export_onnx::graph_of(program->artifact());
  if (!graph) return failure_of(std::move(graph));
  auto reference = backends.open_reference();
  if (!reference) return failure_of(std::move(reference));
  auto checker = std::make_unique<SubnetChecker>(OnlyMake(), std::move(program), std::move(*graph),
                                                 std::move(*reference), tolerance);
  if (Status found = checker->find_subnets(backends); !found) return failure_of(std::move(found));
  return checker;
}

// The plan calls what was stamped: stamping again tells which values go in and come out.
Status SubnetChecker::find_subnets(BackendRegistry& backends) {
  const HostPlan& plan = program_->artifact().plan;
  for (const PlanSubnet& subnet : plan.subnets) {
    if (backends_.contains(subnet.backend)) continue;
    BackendOptions wanted;
    wanted.name = subnet.backend;
    wanted.precision = program_->artifact().precision;
    auto backend = backends.open(std::move(wanted));
    if (!backend) return failure_of(std::move(backend));
    const BackendDescription& described = (*backend)->description();
    Result<std::vector<legalize::LegalSubnet>> legal = legalize::legalize_subnets(stamped_, described);
    if (!legal) return failure_of(std::move(legal));
    Result<std::vector<subnet::SubnetInstance>> stamped = subnet::stamp_subnets(stamped_, *legal, described);
    if (!stamped) return failure_of(std::move(stamped));
    instances_.emplace(subnet.backend, std::move(*stamped));
    backends_.emplace(subnet.backend, std::move(*backend));
  }
  if (instances_.empty()) return {};
  auto calls = calls_by_block(plan);
  const std::vector<subnet::SubnetInstance>& all = instances_.begin()->second;
  std::map<std::uint32_t, std::size_t> seen;  // calls of each block
  for (std::size_t place = 0; place < all.size(); ++place) {
    const std::uint32_t block = all[place].block.value;
    const std::size_t next = seen[block]++;
    if (next < calls[block].size()) add_subnet(calls[block][next], place);
  }
  return {};
}

void SubnetChecker::add_subnet(std::uint32_t number, std::size_t place) {
  const PlanSubnet& named = program_->artifact().plan.subnets[number];
  const subnet::SubnetInstance& subnet = instances_.at(named.backend)[place];
  const std::size_t executable = program_->flat_plan().subnets[number].executable;
  by_place_[{subnet.block, subnet.step}] = {&subnet, executable};
  SubnetCheck& check = checks_[executable];
  check.names.push_back(named.name);
  check.hash = named.hash;
  check.backend = named.backend;
  for (const TensorOp& op :
       std::get<SubnetStep>(graph_.blocks[subnet.block.index()].steps[subnet.step]).ops) {
    SourceSpan line = graph_.source(source_of(op));
    line.column = 0;
    if (line.known() && std::ranges::find(check.lines, line) == check.lines.end())
      check.lines.push_back(std::move(line));
  }
}

ReferenceRun SubnetChecker::run(std::span<const runtime::RuntimeValue> inputs,
                                std::optional<runtime::TakenEdge> goal) {
  current_ = {};
  route_.reset();
  if (goal) route_.emplace(graph_, EdgeId{BlockId(goal->from), goal->index});
  std::vector<InterpreterValue> values;
  for (const runtime::RuntimeValue& input : inputs) values.push_back(interpreter_value(input));
  values.insert(values.end(), states_.begin(), states_.end());
  InterpretOptions options;
  options.observer = this;
  Result<InterpreterOutcome> outcome = interpret(graph_, values, reference_, options);
  if (outcome && !goal) keep_states(*outcome);
  if (!outcome) current_.end = failure_of(std::move(outcome));
  current_.arrived = route_ && route_->has_arrived();
  return std::move(current_);
}

std::optional<EdgeId> SubnetChecker::take(EdgeId decided) {
  const EdgeId edge = route_ ? route_->take(decided) : decided;
  const auto index = static_cast<std::uint32_t>(edge.index);
  std::uint64_t& count = current_.edges[{edge.from.value, edge_of(graph_, edge).target.value, index}];
  ++count;
  if (route_ && route_->has_arrived() && count > kTripsBehindForced) return std::nullopt;
  return edge;
}

Status SubnetChecker::after_subnet(Place place, const Tensors& tensors) {
  const auto found = by_place_.find({place.block, place.step});
  if (found == by_place_.end()) return {};  // nothing needs it
  Result<std::vector<TensorPtr>> results = computed(found->second, tensors);
  if (!results) return failure_of(std::move(results));
  compare(found->second, *results, tensors);
  return {};
}

Result<std::vector<TensorPtr>> SubnetChecker::computed(const Compiled& compiled, const Tensors& tensors) {
  Result<BackendCall> call = program_->executables()[compiled.executable]->create_call();
  if (!call) return failure_of(std::move(call));
  const std::size_t guards = compiled.subnet->guards.size();
  Result<std::vector<TensorPtr>> results = run_on(*call, compiled.subnet->graph, tensors);
  if (!results) return results;
  for (std::size_t index = results->size() - guards; index < results->size(); ++index) {
    const legalize::Guard& guard = compiled.subnet->guards[index - (results->size() - guards)];
    const auto is_set = [](std::byte flag) { return flag != std::byte{0}; };
    if (std::ranges::any_of((*results)[index]->bytes, is_set))
      return guard_failure(guard.type, guard.message);
  }
  results->resize(results->size() - guards);
  return results;
}

void SubnetChecker::compare(const Compiled& compiled, const std::vector<TensorPtr>& results,
                            const Tensors& tensors) {
  SubnetCheck& check = checks_[compiled.executable];
  ++check.calls;
  if (route_ && route_->has_forced()) ++check.forced;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const double error = tensor_difference(*results[index], *tensors(compiled.subnet->graph.outputs[index]));
    check.error = std::max(check.error, error);
    if (error > tolerance_ && check.problem.empty())
      check.problem = described(compiled, index, error, tensors);
  }
}

std::string SubnetChecker::described(const Compiled& compiled, std::size_t result, double error,
                                     const Tensors& tensors) const {
  const subnet::SubnetInstance& subnet = *compiled.subnet;
  const auto stored = program_->artifact().subnets.find(checks_[compiled.executable].hash);
  const std::string first = first_difference({stamped_, subnet, *backends_.at(subnet.backend),
                                              stored->second.graph, subnet.graph.outputs[result], tolerance_},
                                             tensors);
  return fmt::format("result {} of {} differs from the reference by {:.1e}; {}", result, subnet.name, error,
                     first);
}

}  // namespace dycl::verification
