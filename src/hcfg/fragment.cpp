// SPDX-License-Identifier: Apache-2.0
#include "hcfg/fragment.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/overloaded.h"
#include "hcfg/operator_versions.h"
#include "hcfg/type_flow.h"

namespace dycl {
namespace {

// What a fragment's symbols are in a call.
using SymbolDims = std::vector<std::optional<Dim>>;

std::optional<Dim> replaced(const Dim& dim, const SymbolDims& symbols) {
  Dim result(dim.constant);
  for (const auto& [symbol, factor] : dim.terms) {
    if (!symbols[symbol.index()]) return std::nullopt;
    result = result + *symbols[symbol.index()] * factor;
  }
  return result;
}

std::string bind_dim(const Dim& wanted, const Dim& given, SymbolDims& symbols) {
  if (const auto symbol = wanted.as_symbol(); symbol && !symbols[symbol->index()]) {
    symbols[symbol->index()] = given;
    return {};
  }
  const auto known = replaced(wanted, symbols);
  if (!known || *known == given) return {};  // an expression of open symbols: checked by its results
  if (known->is_static() && !given.is_static()) return {};  // a branch on the size has settled it
  return "sizes that the fragment takes as equal differ, or are not known";
}

// Binds the fragment's symbols to the sizes of an operand; an empty string, or why it does not fit.
std::string bind_type(const Type& wanted, const Type& given, SymbolDims& symbols) {
  const TensorType* want = wanted.tensor();
  const TensorType* have = given.tensor();
  if (want == nullptr || have == nullptr) return "a fragment works on tensors only";
  if (want->dtype != have->dtype || want->device != have->device) return "the element types differ";
  if (!want->dims) return {};
  if (!have->dims || have->dims->size() != want->dims->size()) return "the ranks differ";
  for (std::size_t axis = 0; axis < want->dims->size(); ++axis)
    if (auto problem = bind_dim((*want->dims)[axis], (*have->dims)[axis], symbols); !problem.empty())
      return problem;
  return {};
}

// A result's declared type may know more or less than the fragment says, never something else.
std::string result_problem(const Type& promised, const Type& declared, const SymbolDims& symbols) {
  const TensorType* have = promised.tensor();
  const TensorType* want = declared.tensor();
  if (want == nullptr || have->dtype != want->dtype || have->device != want->device)
    return "a result is of another type";
  if (!have->dims || !want->dims) return {};
  if (have->dims->size() != want->dims->size()) return "a result is of another rank";
  for (std::size_t axis = 0; axis < have->dims->size(); ++axis) {
    const auto size = replaced((*have->dims)[axis], symbols);
    const Dim& expected = (*want->dims)[axis];
    if (size && size->is_static() && expected.is_static() && *size != expected)
      return "a result is of another size";
  }
  return {};
}

Type with_symbols(Hcfg& graph, const Fragment& fragment, const Type& type, SymbolDims& symbols) {
  TensorType tensor = *type.tensor();
  if (!tensor.dims) return tensor;
  for (Dim& dim : *tensor.dims) {
    for (const auto& [symbol, factor] : dim.terms)
      if (!symbols[symbol.index()])
        symbols[symbol.index()] = Dim(graph.add_symbol(fragment.symbols[symbol.index()].name));
    dim = *replaced(dim, symbols);
  }
  return tensor;
}

class Expander {
 public:
  explicit Expander(Hcfg& graph) : graph_(graph) {}

  void add(const TensorOp& op) {
    std::visit(Overloaded{
                   [&](const OnnxOp& plain) { ops_.push_back(plain); },
                   [&](const FragmentCall& call) { add_call(call); },
               },
               op);
  }

  std::vector<OnnxOp> take(std::span<const ValueId> needed) {
    std::unordered_set<ValueId> wanted(needed.begin(), needed.end());
    std::vector<OnnxOp> kept;
    for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
      const bool used = std::ranges::any_of(
          op->outputs, [&](ValueId value) { return value.valid() && wanted.contains(value); });
      if (!used) continue;
      wanted.insert(op->inputs.begin(), op->inputs.end());
      kept.push_back(std::move(*op));
    }
    std::ranges::reverse(kept);
    return kept;
  }

 private:
  void add_call(const FragmentCall& call) {
    const Fragment& fragment = *call.fragment;
    SymbolDims symbols(fragment.symbols.size());
    std::vector<ValueId> values(fragment.values.size());
    for (std::size_t index = 0; index < call.inputs.size(); ++index) {
      values[fragment.inputs[index].index()] = call.inputs[index];
      bind_type(fragment.type_of(fragment.inputs[index]), graph_.type_of(call.inputs[index]), symbols);
    }
    for (std::size_t index = 0; index < call.outputs.size(); ++index)
      values[fragment.outputs[index].index()] = call.outputs[index];
    for (const Constant& constant : fragment.constants)
      values[constant.value.index()] =
          shared_constant(constant.data, fragment.values[constant.value.index()].name);
    for (std::size_t index = 0; index < values.size(); ++index)
      if (!values[index].valid())
        values[index] = graph_.add_value(with_symbols(graph_, fragment, fragment.values[index].type, symbols),
                                         fragment.values[index].name);
    for (const OnnxOp& inner : fragment.ops) add_inner(inner, values, call.source);
  }

  void add_inner(const OnnxOp& inner, const std::vector<ValueId>& values, SourceId source) {
    OnnxOp op = inner;
    op.source = source;
    for (auto* ids : {&op.inputs, &op.outputs})
      for (ValueId& id : *ids)
        if (id.valid()) id = values[id.index()];
    ops_.push_back(std::move(op));
  }

  ValueId shared_constant(const TensorPtr& data, const std::string& name) {
    const auto [known, added] = constants_.try_emplace(data.get());
    if (added) known->second = graph_.add_constant(data, name);
    return known->second;
  }

  Hcfg& graph_;
  std::vector<OnnxOp> ops_;
  std::unordered_map<const TensorData*, ValueId> constants_;
};

// Values are defined once, before their uses, and are tensors.
class FragmentChecker {
 public:
  explicit FragmentChecker(const Fragment& fragment)
      : fragment_(fragment), defined_(fragment.values.size()) {}

  std::string check() {
    for (const GraphValue& value : fragment_.values) {
      if (value.type.tensor() == nullptr) return "a fragment works on tensors only";
      if (auto defect = type_defect(value.type, fragment_.symbols.size()); !defect.empty()) return defect;
    }
    for (const ValueId input : fragment_.inputs) define(input);
    for (const Constant& constant : fragment_.constants) {
      define(constant.value);
      if (constant.data == nullptr) return "a constant has no contents";
    }
    for (const OnnxOp& op : fragment_.ops) check_op(op);
    std::set<ValueId> outputs;
    for (const ValueId output : fragment_.outputs) {
      use(output);
      if (!outputs.insert(output).second) problem_ = "a value is two outputs";
      if (std::ranges::find(fragment_.inputs, output) != fragment_.inputs.end())
        problem_ = "an output is an input";
      for (const Constant& constant : fragment_.constants)
        if (constant.value == output) problem_ = "an output is a constant";
    }
    return problem_;
  }

 private:
  void define(ValueId id) {
    if (id.index() >= defined_.size())
      problem_ = "an id is out of range";
    else if (defined_[id.index()])
      problem_ = fmt::format("%{} is defined twice", fragment_.values[id.index()].name);
    else
      defined_[id.index()] = true;
  }

  void use(ValueId id) {
    if (id.index() >= defined_.size() || !defined_[id.index()]) problem_ = "a value is used and not defined";
  }

  void check_op(const OnnxOp& op) {
    if (op.name.empty()) problem_ = "an operation has no name";
    if (is_control_flow(op))
      problem_ = fmt::format("it may not contain {}: control flow belongs to the graph", op.name);
    for (const ValueId id : op.inputs)
      if (id.valid()) use(id);
    for (const ValueId id : op.outputs)
      if (id.valid()) define(id);
  }

  const Fragment& fragment_;
  std::vector<bool> defined_;
  std::string problem_;
};

}  // namespace

Result<std::vector<Type>> output_types(Hcfg& graph, const Fragment& fragment,
                                       std::span<const Type* const> inputs) {
  SymbolDims symbols(fragment.symbols.size());
  std::string problem = inputs.size() == fragment.inputs.size() ? "" : "another number of operands";
  for (std::size_t index = 0; index < inputs.size() && problem.empty(); ++index)
    problem = bind_type(fragment.type_of(fragment.inputs[index]), *inputs[index], symbols);
  if (!problem.empty())
    return fail(Blame::Internal, "hcfg.fragment", fmt::format("the fragment {}: {}", fragment.name, problem));
  std::vector<Type> types;
  for (const ValueId output : fragment.outputs)
    types.push_back(with_symbols(graph, fragment, fragment.type_of(output), symbols));
  return types;
}

std::string fragment_defect(const Fragment& fragment) { return FragmentChecker(fragment).check(); }

std::string call_defect(const Hcfg& graph, const FragmentCall& call) {
  const Fragment& fragment = *call.fragment;
  if (call.inputs.size() != fragment.inputs.size() || call.outputs.size() != fragment.outputs.size())
    return fmt::format("the fragment takes {} operands and gives {} results", fragment.inputs.size(),
                       fragment.outputs.size());
  SymbolDims symbols(fragment.symbols.size());
  for (std::size_t index = 0; index < call.inputs.size(); ++index) {
    if (!call.inputs[index].valid()) return "the call of a fragment omits no operand";
    const auto problem =
        bind_type(fragment.type_of(fragment.inputs[index]), graph.type_of(call.inputs[index]), symbols);
    if (!problem.empty()) return fmt::format("operand {}: {}", index, problem);
  }
  for (std::size_t index = 0; index < call.outputs.size(); ++index)
    if (call.outputs[index].valid()) {
      const auto problem = result_problem(fragment.type_of(fragment.outputs[index]),
                                          graph.type_of(call.outputs[index]), symbols);
      if (!problem.empty()) return problem;
    }
  return {};
}

std::vector<OnnxOp> expand_fragments(Hcfg& graph, std::span<const TensorOp> ops,
                                     std::span<const ValueId> needed) {
  if (std::ranges::none_of(ops, [](const TensorOp& op) { return std::holds_alternative<FragmentCall>(op); }))
    return onnx_ops_of(ops);
  Expander expander(graph);
  for (const TensorOp& op : ops) expander.add(op);
  return expander.take(needed);
}

std::string operation_name(const TensorOp& op) {
  return std::visit(Overloaded{
                        [](const OnnxOp& plain) { return plain.name; },
                        [](const FragmentCall& call) { return call.fragment->name; },
                    },
                    op);
}

}  // namespace dycl
