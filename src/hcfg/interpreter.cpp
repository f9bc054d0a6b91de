// SPDX-License-Identifier: Apache-2.0
#include "hcfg/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/element.h"
#include "base/overloaded.h"
#include "hcfg/dominance.h"
#include "hcfg/fragment.h"
#include "hcfg/interpret_parts.h"
#include "hcfg/symbols.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

// Which symbols each place binds: they lose their old size when control comes there again.
struct BindingPlaces {
  std::map<Place, std::vector<SymbolId>> by_step;
  std::map<BlockId, std::vector<SymbolId>> by_block;
};

BindingPlaces binding_places(const Hcfg& graph) {
  const ControlFlow flow = control_flow(graph);
  const DominatorTree dominators(flow);
  const SymbolBindings bindings(graph, flow, dominators);
  BindingPlaces places;
  for (std::size_t index = 0; index < graph.symbols.size(); ++index) {
    const Definition& found = bindings.binding(SymbolId(index));
    if (found.kind == DefinitionKind::Step) places.by_step[found.place].emplace_back(index);
    if (found.kind == DefinitionKind::Parameter) places.by_block[found.place.block].emplace_back(index);
  }
  return places;
}

class Interpreter {
 public:
  Interpreter(const Hcfg& graph, TensorOpEvaluator& evaluator, const InterpretOptions& options)
      : graph_(graph),
        evaluator_(evaluator),
        options_(options),
        places_(binding_places(graph)),
        values_(graph.values.size()),
        sizes_(graph.symbols.size()) {}

  Result<InterpreterOutcome> run(std::span<const InterpreterValue> inputs);

 private:
  Status bind_inputs(std::span<const InterpreterValue> inputs);
  Status check_ranges(const Port& port, const Type& type, const InterpreterValue& value) const;
  Status define(ValueId id, InterpreterValue value, Blame blame);
  void bind_sizes(const Type& type, const InterpreterValue& value);
  void forget(const std::vector<SymbolId>& symbols);
  Status count_step();
  Status run_block(const Block& block, BlockId id);
  Status run_step(const Step& step, Place place);
  Status run_host(const HostStep& step, Place place);
  Status run_tensor_op(const TensorOp& op, Place place);
  [[nodiscard]] Status located(Status status, SourceId source) const;
  Result<std::optional<EdgeId>> leave(const Block& block, BlockId id);
  Status take_edge(EdgeId edge);
  [[nodiscard]] const Scalar& scalar(ValueId id) const { return std::get<Scalar>(*values_[id.index()]); }
  [[nodiscard]] SymbolSize size_of_symbol() const {
    return [this](SymbolId symbol) { return sizes_[symbol.index()]; };
  }

  const Hcfg& graph_;
  TensorOpEvaluator& evaluator_;
  const InterpretOptions& options_;
  const BindingPlaces places_;
  std::vector<std::optional<InterpreterValue>> values_;
  std::vector<std::optional<std::int64_t>> sizes_;  // per symbol
  InterpreterOutcome outcome_;
};

void Interpreter::forget(const std::vector<SymbolId>& symbols) {
  for (const SymbolId symbol : symbols) sizes_[symbol.index()].reset();
}

void Interpreter::bind_sizes(const Type& type, const InterpreterValue& value) {
  const TensorType* tensor = type.tensor();
  const auto* data = std::get_if<TensorPtr>(&value);
  if (tensor == nullptr || !tensor->dims || data == nullptr || *data == nullptr) return;
  if ((*data)->dims.size() != tensor->dims->size()) return;
  for (std::size_t axis = 0; axis < tensor->dims->size(); ++axis)
    if (const auto symbol = (*tensor->dims)[axis].as_symbol(); symbol && !sizes_[symbol->index()])
      sizes_[symbol->index()] = (*data)->dims[axis];
}

Status Interpreter::define(ValueId id, InterpreterValue value, Blame blame) {
  const Type& type = graph_.type_of(id);
  bind_sizes(type, value);
  if (!has_type(value, type, size_of_symbol()))
    return fail(
        blame, "hcfg.value_type",
        fmt::format("%{} is {}, its type is {}", graph_.value(id).name, description_of(value),
                    to_string(type, [&](SymbolId symbol) { return graph_.symbols[symbol.index()].name; })));
  values_[id.index()] = std::move(value);
  return {};
}

Status Interpreter::check_ranges(const Port& port, const Type& type, const InterpreterValue& value) const {
  if (const auto* optional = std::get_if<OptionalValue>(&value); optional != nullptr && type.optional())
    return optional->value == nullptr ? Status()
                                      : check_ranges(port, *type.optional()->element, *optional->value);
  if (const auto* items = std::get_if<SeqValue>(&value); items != nullptr && type.seq()) {
    for (const InterpreterValue& item : *items->items)
      if (auto status = check_ranges(port, *type.seq()->element, item); !status) return status;
    return {};
  }
  const auto* data = std::get_if<TensorPtr>(&value);
  const TensorType* tensor = type.tensor();
  if (data == nullptr || *data == nullptr || tensor == nullptr || !tensor->dims) return {};
  for (std::size_t axis = 0; axis < std::min((*data)->dims.size(), tensor->dims->size()); ++axis) {
    const auto symbol = (*tensor->dims)[axis].as_symbol();
    const std::int64_t size = (*data)->dims[axis];
    if (symbol && !graph_.symbols[symbol->index()].range.contains(size))
      return fail(Blame::Usage, "input.range",
                  fmt::format("input '{}' has size {} in dim {}, outside {} = {}", port.name, size, axis,
                              graph_.symbols[symbol->index()].name,
                              to_string(graph_.symbols[symbol->index()].range)));
  }
  return {};
}

Status Interpreter::bind_inputs(std::span<const InterpreterValue> inputs) {
  const auto is_state = [](const Port& port) { return port.is_state(); };
  const auto states = static_cast<std::size_t>(std::ranges::count_if(graph_.inputs, is_state));
  if (inputs.size() != graph_.inputs.size() && inputs.size() + states != graph_.inputs.size())
    return fail(Blame::Usage, "input.count",
                fmt::format("the model takes {} inputs, {} were given", graph_.inputs.size(), inputs.size()));
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const Port& port = graph_.inputs[index];
    InterpreterValue value = inputs[index];
    const bool wrap =
        graph_.type_of(port.value).optional() != nullptr && !std::holds_alternative<OptionalValue>(value);
    if (wrap) value = OptionalValue{std::make_shared<const InterpreterValue>(std::move(value))};
    if (auto status = check_ranges(port, port.type, value); !status) return status;
    if (auto status = define(port.value, std::move(value), Blame::Usage); !status) return status;
  }
  for (std::size_t index = inputs.size(); index < graph_.inputs.size(); ++index)
    if (auto status = define(graph_.inputs[index].value, first_value(graph_.inputs[index]), Blame::Internal);
        !status)
      return status;
  for (const Constant& constant : graph_.constants)
    if (auto status = define(constant.value, constant.data, Blame::Internal); !status) return status;
  return {};
}

Status Interpreter::count_step() {
  if (++outcome_.steps <= options_.step_limit) return {};
  return fail(Blame::Usage, "model.step_limit",
              fmt::format("the model ran more than {} steps", options_.step_limit), {},
              "a loop may never end; raise the step limit if it is meant to run this long");
}

Status Interpreter::located(Status status, SourceId source) const {
  if (!status && !status.error().span.known()) locate(status.error(), graph_.source_stack(source));
  return status;
}

Status Interpreter::run_host(const HostStep& step, Place place) {
  std::vector<const InterpreterValue*> operands;
  for (const ValueId input : step.inputs) operands.push_back(&*values_[input.index()]);
  if (const auto bound = places_.by_step.find(place); bound != places_.by_step.end()) forget(bound->second);
  if (step.op == HostOp::Check) return located(run_check(step, *operands[0]), step.source);
  if (step.op == HostOp::Write) return {};  // an outcome that is an exception has no contents of inputs
  auto value = run_host_op(step, graph_.type_of(step.outputs[0]), operands, size_of_symbol());
  if (!value) return located(failure_of(std::move(value)), step.source);
  return define(step.outputs[0], *std::move(value), Blame::Internal);
}

Status Interpreter::run_tensor_op(const TensorOp& op, Place place) {
  std::vector<TensorPtr> inputs;
  for (const ValueId input : inputs_of(op))
    inputs.push_back(input.valid() ? std::get<TensorPtr>(*values_[input.index()]) : nullptr);
  const std::vector<ValueId>& outputs = outputs_of(op);
  auto results = evaluator_.evaluate(op, inputs);
  if (!results) return failure_of(std::move(results));
  if (results->size() != outputs.size())
    return fail(
        Blame::Internal, "hcfg.evaluator",
        fmt::format("{} gave {} results, not {}", operation_name(op), results->size(), outputs.size()));
  if (const auto bound = places_.by_step.find(place); bound != places_.by_step.end()) forget(bound->second);
  for (std::size_t index = 0; index < outputs.size(); ++index)
    if (outputs[index].valid())
      if (auto status = define(outputs[index], (*results)[index], Blame::Internal); !status) return status;
  return {};
}

Status Interpreter::run_step(const Step& step, Place place) {
  const auto* subnet = std::get_if<SubnetStep>(&step);
  if (subnet == nullptr) return run_host(std::get<HostStep>(step), place);
  for (place.op = 0; place.op < subnet->ops.size(); ++place.op)
    if (auto status = run_tensor_op(subnet->ops[place.op], place); !status) return status;
  if (options_.observer == nullptr) return {};
  place.op = 0;
  return options_.observer->after_subnet(
      place, [this](ValueId id) { return std::get<TensorPtr>(*values_[id.index()]); });
}

Status Interpreter::run_block(const Block& block, BlockId id) {
  for (std::size_t step = 0; step < block.steps.size(); ++step) {
    if (auto status = count_step(); !status) return status;
    if (auto status = run_step(block.steps[step], {id, step}); !status) return status;
  }
  return count_step();
}

// The edge to take, or none when the graph has returned.
Result<std::optional<EdgeId>> Interpreter::leave(const Block& block, BlockId id) {
  using Next = Result<std::optional<EdgeId>>;
  return std::visit(
      Overloaded{
          [&](const Jump&) -> Next { return EdgeId{id, 0}; },
          [&](const Branch& branch) -> Next {
            return EdgeId{id, std::get<bool>(scalar(branch.condition)) ? 0U : 1U};
          },
          [&](const Switch& choice) -> Next {
            const auto index = std::get<std::int64_t>(scalar(choice.index));
            const bool listed = index >= 0 && static_cast<std::size_t>(index) < choice.cases.size();
            return EdgeId{id, listed ? static_cast<std::size_t>(index) : choice.cases.size()};
          },
          [&](const Return& done) -> Next {
            for (const ValueId value : done.values) outcome_.outputs.push_back(*values_[value.index()]);
            outcome_.writes = done.writes;
            return std::nullopt;
          },
          [&](const Raise& raise) -> Next {
            std::vector<Scalar> scalars;
            const std::size_t shown = shown_count(raise.format, raise.scalars.size(), raise.attributes);
            for (std::size_t index = 0; index < shown; ++index)
              scalars.push_back(scalar(raise.scalars[index]));
            auto message = format_message(raise.format, scalars);
            if (!message) return failure_of(std::move(message));
            return failure_of(located(raised(raise.type, *std::move(message)), block.source));
          },
      },
      block.terminator);
}

// All arguments are read before any parameter is written: an edge may exchange them.
Status Interpreter::take_edge(EdgeId id) {
  const Edge& edge = edge_of(graph_, id);
  if (options_.record_path) outcome_.path.push_back(id);
  std::vector<InterpreterValue> arguments;
  for (const ValueId argument : edge.arguments) arguments.push_back(*values_[argument.index()]);
  if (const auto bound = places_.by_block.find(edge.target); bound != places_.by_block.end())
    forget(bound->second);
  const auto& parameters = graph_.blocks[edge.target.index()].parameters;
  for (std::size_t index = 0; index < parameters.size(); ++index)
    if (auto status = define(parameters[index], std::move(arguments[index]), Blame::Internal); !status)
      return status;
  return {};
}

Result<InterpreterOutcome> Interpreter::run(std::span<const InterpreterValue> inputs) {
  if (auto status = bind_inputs(inputs); !status) return failure_of(std::move(status));
  BlockId current(0);
  while (true) {
    const Block& block = graph_.blocks[current.index()];
    if (auto status = run_block(block, current); !status) return failure_of(std::move(status));
    auto edge = leave(block, current);
    if (!edge) return failure_of(std::move(edge));
    if (*edge && options_.observer != nullptr) *edge = options_.observer->take(**edge);
    if (!*edge) return std::move(outcome_);
    if (auto status = take_edge(**edge); !status) return failure_of(std::move(status));
    current = edge_of(graph_, **edge).target;
  }
}

}  // namespace

InterpreterValue first_value(const Port& state) {
  if (state.type.optional() != nullptr) return OptionalValue{};
  const SeqType* sequence = state.type.seq();
  if (sequence == nullptr) return state.initial->front();
  std::vector<InterpreterValue> items;
  for (const TensorPtr& tensor : *state.initial) {
    if (sequence->element->scalar() == nullptr)
      items.emplace_back(tensor);
    else if (const Result<Scalar> number = element_at(*tensor, 0))
      items.emplace_back(*number);
  }
  return SeqValue{std::make_shared<const std::vector<InterpreterValue>>(std::move(items))};
}

Result<InterpreterOutcome> interpret(const Hcfg& graph, std::span<const InterpreterValue> inputs,
                                     TensorOpEvaluator& evaluator, const InterpretOptions& options) {
  if (auto status = verify(graph); !status) return failure_of(std::move(status));
  return Interpreter(graph, evaluator, options).run(inputs);
}

}  // namespace dycl
