// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/draws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>

#include "hcfg/control_flow.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/ports.h"

namespace dycl::partial_eval {
namespace {

constexpr const char* kPassItIn =
    "draw a fixed number and take a part of it, or pass the random tensor as an input";

// "model.py:31"; of a call that no line of the user's makes: "".
std::string place_of_key(const DrawKey& key) {
  if (key.file.empty()) return {};
  return fmt::format("{}:{}", std::filesystem::path(key.file).filename().string(), key.line);
}

// The innermost line that is not torch's own, and its callers; empty if there is none.
std::vector<SourceSpan> spans_of_user(const Machine& machine, const State& state) {
  std::vector<SourceSpan> spans = machine.spans(state);
  const auto first = std::ranges::find_if(
      spans, [&](const SourceSpan& span) { return !machine.torch.is_torch_file(span.file); });
  spans.erase(spans.begin(), first);
  return spans;
}

Sizes sizes_of_shape(Machine& machine, const State& state, const AbstractValue& shape) {
  std::vector<AbstractValue> items;
  if (const nb::object* live = shape.constant())
    for (const nb::handle item : *live) items.push_back(known(nb::borrow(item)));
  else
    items = std::get<TupleObject>(state.heap.at(*shape.object())).items;
  Sizes sizes;
  for (const AbstractValue& item : items) {
    const auto size = size_of(state, machine.refined(state, item));
    if (!size)
      machine.refuse(state, "python.draws_size",
                     "how many random numbers are drawn here depends on the input", kPassItIn);
    sizes.push_back(*size);
  }
  return sizes;
}

// As a size of the graph's inputs; nullopt: it does not follow from those that the caller declared.
std::optional<Dim> as_dim(const Machine& machine, const SizeExpr& size) {
  Dim dim(size.constant());
  for (const SizeTerm& term : size.terms()) {
    const bool is_symbol = term.factors.size() == 1 && term.factors[0].symbol != nullptr;
    const auto found =
        is_symbol ? machine.inputs.sizes.find(term.factors[0].symbol->number) : machine.inputs.sizes.end();
    if (found == machine.inputs.sizes.end()) return std::nullopt;
    dim = dim + Dim(found->second) * term.coefficient;
  }
  return dim;
}

std::optional<Type> type_of_row(const Machine& machine, const protocol::TensorSpec& element) {
  TensorType type = *element.type.tensor();
  for (std::size_t axis = 0; axis < element.shape.size(); ++axis) {
    const auto dim = as_dim(machine, element.shape[axis]);
    if (!dim) return std::nullopt;
    (*type.dims)[axis] = *dim;
  }
  return Type(type);
}

std::string unique_name(const Machine& machine, const DrawKey& key) {
  const std::string place = place_of_key(key);
  const std::string wanted = fmt::format("draws:{}{}{}", place, place.empty() ? "" : ":", key.kind);
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(machine.draws, [&](const DrawInput& input) { return input.name == name; });
  };
  std::string name = wanted;
  for (int number = 2; taken(name); ++number) name = fmt::format("{}:{}", wanted, number);
  return name;
}

std::uint32_t bound_of(const Machine& machine, const DrawKey& key) {
  const auto found = machine.options.draws_bounds.find(place_of_key(key));
  if (found != machine.options.draws_bounds.end()) return found->second;
  return std::max(machine.options.draws_limit, std::uint32_t{1});
}

// A place in a cycle may be given fewer rows than the bound.
Dim size_of_rows(Machine& machine, const DrawRows& rows) {
  if (!rows.in_cycle) return Dim(rows.most);
  Hcfg& graph = machine.emitter.graph;
  const SymbolId symbol = graph.add_symbol("rows");
  graph.symbols[symbol.index()].range = {1, rows.most};
  return Dim(symbol);
}

// The graph's input for a line; its number in Machine::draws.
std::size_t add_input(Machine& machine, const DrawRows& rows, SpecPtr element, Type row) {
  Hcfg& graph = machine.emitter.graph;
  TensorType type = *row.tensor();
  type.dims->insert(type.dims->begin(), size_of_rows(machine, rows));
  DrawInput made{rows.key, unique_name(machine, rows.key), std::move(element), std::move(row), {}, {}};
  made.value = graph.add_value(type, made.name);
  made.port = static_cast<std::uint32_t>(graph.inputs.size());
  graph.inputs.push_back({made.name, made.value, type, false});
  machine.draws.push_back(std::move(made));
  return machine.draws.size() - 1;
}

// Some call may give both shapes the same sizes: nobody could tell then which row is whose.
bool may_coincide(const Sizes& left, const Sizes& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t axis = 0; axis < left.size(); ++axis) {
    const SizeExpr difference = left[axis] - right[axis];
    const SizeRange range = range_of(difference);
    if (range.smallest > 0 || range.largest < 0) return false;
  }
  return true;
}

void refuse_other_shape(const Machine& machine, const State& state, const DrawKey& key) {
  for (const DrawInput& other : machine.draws) {
    const bool same_line = other.key.file == key.file && other.key.line == key.line &&
                           other.key.kind == key.kind && other.key.dtype == key.dtype;
    if (same_line && may_coincide(other.key.shape, key.shape))
      machine.refuse(
          state, "python.draws_size",
          "this line draws random numbers of several shapes that depend on the sizes of the inputs",
          "draw them at lines of their own, or compile without dynamic_shapes");
  }
}

std::size_t input_for(Machine& machine, const State& state, const DrawKey& key, const nb::object& dtype) {
  const auto found = std::ranges::find(machine.draws, key, &DrawInput::key);
  if (found != machine.draws.end()) return static_cast<std::size_t>(found - machine.draws.begin());
  refuse_other_shape(machine, state, key);
  SpecPtr element = machine.torch.contiguous_spec(dtype, key.shape);
  auto row = type_of_row(machine, *element);
  if (!row)
    machine.refuse(state, "python.draws_size",
                   "how many random numbers are drawn here follows neither from constants nor from sums of "
                   "sizes that were declared as dynamic",
                   kPassItIn);
  return add_input(machine, {key, bound_of(machine, key), false}, std::move(element), std::move(*row));
}

// How often a path may take a row of the input; nullopt: without an end, since a cycle takes them.
std::optional<std::uint32_t> most_rows(const Hcfg& graph, const ControlFlow& flow, ValueId input) {
  std::vector<std::uint64_t> weights(graph.blocks.size()), most(graph.blocks.size());
  std::uint64_t all = 0;
  for (const BlockId block : flow.order)
    for (const Step& step : graph.blocks[block.index()].steps)
      if (const auto* host = std::get_if<HostStep>(&step); host != nullptr && host->op == HostOp::Row)
        if (host->inputs[0] == input) ++weights[block.index()], ++all;
  std::uint64_t largest = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId block : flow.order) {
      std::uint64_t before = 0;
      for (const EdgeId edge : flow.predecessors[block.index()])
        if (flow.reachable(edge.from)) before = std::max(before, most[edge.from.index()]);
      const std::uint64_t now = before + weights[block.index()];
      changed = changed || now != most[block.index()];
      most[block.index()] = now;
      largest = std::max(largest, now);
      if (largest > all) return std::nullopt;  // a block has been counted twice on one way
    }
  }
  return static_cast<std::uint32_t>(largest);
}

void refuse_bounds_of_nothing(const Machine& machine) {
  std::set<std::string> places;
  for (const DrawInput& input : machine.draws) places.insert(place_of_key(input.key));
  for (const auto& [place, bound] : machine.options.draws_bounds)
    if (!places.contains(place))
      throw Refused{
          {Blame::Usage,
           "argument.draws",
           fmt::format("the option draws names '{}', where the model draws no random numbers", place),
           {},
           places.empty() ? "leave it out" : fmt::format("it draws at {}", fmt::join(places, ", "))}};
}

}  // namespace

AbstractValue draw(Machine& machine, State& state, const std::string& kind, const AbstractValue& shape,
                   const nb::object& dtype) {
  const std::vector<SourceSpan> spans = spans_of_user(machine, state);
  const SourceSpan line = spans.empty() ? SourceSpan{} : spans.front();
  const DrawKey key{line.file, line.line, kind, nb::cast<std::string>(nb::str(dtype)),
                    sizes_of_shape(machine, state, current(state, shape))};
  const std::size_t number = input_for(machine, state, key, dtype);
  const DrawInput& input = machine.draws[number];
  AbstractValue& taken = state.drawn.try_emplace(number, known_int(0)).first->second;
  const ValueId row = scalar_id(machine, state, taken);
  const ValueId value = machine.emitter.host(state, HostOp::Row, {input.value, row}, input.row, "draws",
                                             {{"draws", input.name}}, machine.source(state));
  machine.found.decisions.push_back({spans, "draw", "a row of the input " + input.name});
  const auto count = known_index(taken);
  taken = count ? known_int(*count + 1)
                : host_number(machine, state, HostOp::Add, {taken, known_int(1)}, ScalarKind::I64);
  return state.make(TensorObject{value, input.element, fresh_storage()});
}

void add_draws(Machine& machine) {
  for (const DrawRows& rows : machine.marks.draws) {
    const nb::object dtype = machine.torch.dtype_named(rows.key.dtype);
    SpecPtr element = machine.torch.contiguous_spec(dtype, rows.key.shape);
    Type row = *type_of_row(machine, *element);
    add_input(machine, rows, std::move(element), std::move(row));
  }
}

void settle_draws(Machine& machine) {
  std::vector<DrawRows> needed;
  const ControlFlow flow = control_flow(machine.emitter.graph);
  for (const DrawInput& input : machine.draws) {
    const auto most = most_rows(machine.emitter.graph, flow, input.value);
    if (most == 0U) continue;
    needed.push_back({input.key, most.value_or(bound_of(machine, input.key)), !most});
  }
  if (needed != machine.marks.draws) {
    machine.marks.draws = std::move(needed);
    throw Restart{};
  }
  refuse_bounds_of_nothing(machine);
}

nb::list described_draws(const Machine& machine) {
  nb::list all;
  for (const DrawInput& input : machine.draws) {
    nb::dict one;
    one["input"] = input.port;
    one["kind"] = input.key.kind;
    one["file"] = input.key.file;
    one["line"] = input.key.line;
    all.append(one);
  }
  return all;
}

}  // namespace dycl::partial_eval
