// SPDX-License-Identifier: Apache-2.0
#include "subnet/backend_inference.h"

#include <fmt/format.h>

#include <charconv>

namespace dycl::subnet {
namespace {

std::vector<ValueId> results_of(std::span<const OnnxOp> ops) {
  std::vector<ValueId> results;
  for (const OnnxOp& op : ops)
    for (const ValueId value : op.outputs)
      if (value.valid()) results.push_back(value);
  return results;
}

// "d3" → the symbol that the stamped graph calls so.
std::optional<SymbolId> symbol_named(const StampedGraph& stamped, std::string_view name) {
  std::size_t index = 0;
  if (name.size() < 2 || name[0] != 'd') return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
  if (error != std::errc{} || end != name.data() + name.size() || index >= stamped.symbols.size())
    return std::nullopt;
  return stamped.symbols[index];
}

TensorType to_tensor_type(Hcfg& graph, const StampedGraph& stamped, const InferredType& inferred) {
  TensorType type{inferred.dtype, std::nullopt, Device{}};
  if (!inferred.dims) return type;
  type.dims.emplace();
  for (const InferredDim& dim : *inferred.dims) {
    if (dim.size >= 0)
      type.dims->emplace_back(dim.size);
    else if (const auto symbol = symbol_named(stamped, dim.symbol))
      type.dims->emplace_back(*symbol);
    else
      type.dims->emplace_back(graph.add_symbol("d"));
  }
  return type;
}

}  // namespace

std::vector<std::pair<std::string, TensorPtr>> weights_of(const Hcfg& graph, const ConstantTable& constants,
                                                          const StampedGraph& stamped) {
  std::vector<std::pair<std::string, TensorPtr>> weights;
  for (const ValueId value : stamped.weights)
    weights.emplace_back(fmt::format("w{}", weights.size()), *constants.find(graph, value));
  return weights;
}

Result<std::vector<InferredType>> BackendTypeInference::ask(const Hcfg& graph, std::span<const OnnxOp> ops,
                                                            std::span<const ValueId> outputs,
                                                            StampedGraph& stamped) {
  const BackendDescription& backend = backend_->description();
  StampOptions options{backend.opset, backend.ir_version, 1024, true};
  Result<StampedGraph> open = stamp(graph, constants_, ops, outputs, options);
  if (!open) return failure_of(std::move(open));
  stamped = std::move(*open);
  const auto known = answers_.find(stamped.onnx);
  if (known != answers_.end()) return known->second;
  Result<std::vector<InferredType>> types = backend_->infer_types({stamped.onnx, {}});
  if (!types) {  // some operators want to see their weights
    options.weights_as_inputs = false;
    Result<StampedGraph> whole = stamp(graph, constants_, ops, outputs, options);
    if (!whole) return failure_of(std::move(whole));
    types = backend_->infer_types({whole->onnx, weights_of(graph, constants_, *whole)});
  }
  if (types) answers_.emplace(stamped.onnx, *types);
  return types;
}

Result<std::map<ValueId, TensorType>> BackendTypeInference::infer(Hcfg& graph, std::span<const OnnxOp> ops) {
  constants_.update(graph);
  const std::vector<ValueId> outputs = results_of(ops);
  StampedGraph stamped;
  Result<std::vector<InferredType>> types = ask(graph, ops, outputs, stamped);
  if (!types && ops.size() > 1) return infer_one_by_one(graph, ops);
  if (!types) {
    types.error().span = graph.source(ops[0].source);
    return failure_of(std::move(types));
  }
  if (types->size() != outputs.size())
    return fail(Blame::Backend, "backend.bad_answer", "the backend inferred a wrong number of types");
  std::map<ValueId, TensorType> result;
  for (std::size_t index = 0; index < outputs.size(); ++index)
    result.emplace(outputs[index], to_tensor_type(graph, stamped, (*types)[index]));
  return result;
}

// Finds the operation that is to blame; if each alone is fine, their types are as good.
Result<std::map<ValueId, TensorType>> BackendTypeInference::infer_one_by_one(Hcfg& graph,
                                                                             std::span<const OnnxOp> ops) {
  std::map<ValueId, TensorType> result;
  for (const OnnxOp& op : ops) {
    Result<std::map<ValueId, TensorType>> types = infer(graph, std::span(&op, 1));
    if (!types) return types;
    for (const auto& [value, type] : *types) {
      graph.values[value.index()].type = type;
      result.emplace(value, type);
    }
  }
  return result;
}

}  // namespace dycl::subnet
