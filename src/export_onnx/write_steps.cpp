// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "export_onnx/exporter.h"
#include "export_onnx/failures.h"
#include "hcfg/text_names.h"
#include "subnet/to_onnx.h"

namespace dycl::export_onnx {

Exporter::Exporter(const Hcfg& graph, const Structure& structure, const ResultPorts& results)
    : graph_(graph),
      structure_(structure),
      results_(results),
      scalars_(writer_),
      host_(graph, structure.uses, writer_) {
  constants_.update(graph);
}

std::string Exporter::name_of(ValueId value) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(value); found != scope->end()) return found->second;
  const TensorPtr* constant = constants_.find(graph_, value);
  if (constant == nullptr)
    internal_error("a value is used before it is written: " + graph_.value(value).name);
  const auto [name, added] = constant_names_.try_emplace(value);
  if (added) name->second = writer_.constant(**constant, graph_.value(value).name);
  return name->second;
}

Exporter::Names Exporter::names_of(const std::vector<ValueId>& values) {
  Names names;
  for (const ValueId value : values) names.push_back(value.valid() ? name_of(value) : "");
  return names;
}

void Exporter::bind(const std::vector<ValueId>& values, const Names& names) {
  for (std::size_t index = 0; index < values.size(); ++index) define(values[index], names[index]);
}

void Exporter::write_steps(BlockId block) {
  for (const Step& step : graph_.blocks[block.index()].steps) {
    if (const auto* subnet = std::get_if<SubnetStep>(&step)) {
      for (const TensorOp& op : subnet->ops) write_op(std::get<OnnxOp>(op));
      continue;
    }
    const auto& host = std::get<HostStep>(step);
    if (host.op == HostOp::Check) continue;  // what comes next asks for it
    define(host.outputs[0], host_.write(host, names_of(host.inputs)));
  }
}

void Exporter::write_op(const OnnxOp& op) {
  Names inputs = names_of(op.inputs);
  if (op.domain.empty() && op.name == "Range")  // takes scalars, and is given vectors of one element too
    for (std::size_t index = 0; index < inputs.size(); ++index)
      if (const auto& dims = graph_.type_of(op.inputs[index]).tensor()->dims; dims && dims->size() == 1)
        inputs[index] = writer_.node("Reshape", {inputs[index], writer_.integers({})});
  Names outputs;
  for (const ValueId value : op.outputs)
    outputs.push_back(value.valid() ? writer_.fresh(graph_.value(value).name) : "");
  onnx::NodeProto& node = writer_.add_node(op.name, std::move(inputs), outputs);
  node.set_domain(op.domain);
  for (const auto& [name, attribute] : op.attributes)
    *node.add_attribute() = subnet::to_onnx(attribute, name);
  for (std::size_t index = 0; index < outputs.size(); ++index)
    if (op.outputs[index].valid()) define(op.outputs[index], outputs[index]);
}

// Only sizes of inputs have names in the file.
void Exporter::name_symbols() {
  UniqueNames names(graph_.symbols.size(), UniqueNames::Style::Symbol);
  for (const Port& port : graph_.inputs)
    for_each_dim_within(graph_.type_of(port.value), [&](const Dim& dim) {
      if (const auto symbol = dim.as_symbol())
        symbol_names_.emplace(*symbol, names.name(symbol->index(), graph_.symbols[symbol->index()].name));
    });
}

std::string Exporter::symbol_name(SymbolId symbol) const {
  const auto found = symbol_names_.find(symbol);
  return found == symbol_names_.end() ? "" : found->second;
}

// Sizes that must stay within limits are asked for by the file, too.
std::string Exporter::checked_input(const Port& port, std::string name) {
  const TensorType* type = graph_.type_of(port.value).tensor();
  if (type == nullptr || !type->dims) return name;
  std::string failed;
  for (std::size_t axis = 0; axis < type->dims->size(); ++axis) {
    const auto symbol = (*type->dims)[axis].as_symbol();
    if (!symbol || !graph_.symbols[symbol->index()].range.limited()) continue;
    const DimRange& range = graph_.symbols[symbol->index()].range;
    const std::string size = writer_.node(
        "Gather", {writer_.node("Shape", {name}), writer_.integer(static_cast<std::int64_t>(axis))});
    const std::string outside =
        writer_.node("Or", {writer_.node("Less", {size, writer_.integer(range.smallest)}),
                            writer_.node("Greater", {size, writer_.integer(range.largest)})});
    failed = failed.empty() ? outside : writer_.node("Or", {failed, outside});
  }
  return failed.empty() ? name : unless(failed, name, graph_.type_of(port.value));
}

// The value itself; but the file fails if anything has failed before the end of the block.
std::string Exporter::unless_failed(BlockId block, const std::string& name, const Type& type) {
  const ValueId failed = failure_at_end(graph_.blocks[block.index()]);
  return failed.valid() ? unless(name_of(failed), name, type) : name;
}

// Row 0 of the sizes with an axis in front is the sizes; row 1 is an error. The tensor is given the sizes
// that it has, of which a 0 stays the 0 that it is.
std::string Exporter::unless(const std::string& fails, const std::string& name, const Type& type) {
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr || (tensor->dims && tensor->dims->empty()))
    return scalars_.require(name, writer_.node("Not", {fails}));
  const std::string shape = writer_.node("Shape", {name});
  const std::string rank = writer_.node("Shape", {shape});
  const std::string one_row =
      writer_.node("Concat", {writer_.integers({1}), rank}, {{"axis", std::int64_t{0}}});
  const std::string row =
      writer_.node("Gather", {writer_.node("Reshape", {shape, one_row}), scalars_.cast(fails, DType::I64)});
  return writer_.node("Reshape", {name, row});
}

void Exporter::write_inputs() {
  name_symbols();
  for (const Port& port : graph_.inputs) writer_.reserve(port.name);
  for (const ResultPort& port : results_.ports) writer_.reserve(port.name);
  for (const Port& port : graph_.inputs) {
    onnx::ValueInfoProto& input = *writer_.main().graph.add_input();
    input.set_name(port.name);
    *input.mutable_type() =
        type_proto(graph_.type_of(port.value), [&](SymbolId symbol) { return symbol_name(symbol); });
    define(port.value, checked_input(port, port.name));
  }
}

void Exporter::write_outputs(const Outcome& outcome) {
  const Names& values = outcome.exits.front().values;
  std::set<std::string> used;
  for (const Port& port : graph_.inputs) used.insert(port.name);
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::string name = results_.ports[index].name;
    if (!used.insert(name).second) used.insert(name = writer_.fresh(name));
    writer_.add_node("Identity", {values[index]}, {name});
    onnx::ValueInfoProto& output = *writer_.main().graph.add_output();
    output.set_name(name);
    *output.mutable_type() =
        type_proto(results_.ports[index].type, [&](SymbolId symbol) { return symbol_name(symbol); });
  }
}

Result<onnx::GraphProto> Exporter::run() {
  write_inputs();
  const Outcome outcome = enter(BlockId(0), {});
  if (problem_) return Failure(std::move(*problem_));
  check_targets(outcome, {finished()});
  write_outputs(outcome);
  writer_.main().graph.set_name(graph_.name);
  return std::move(writer_.main().graph);
}

}  // namespace dycl::export_onnx
