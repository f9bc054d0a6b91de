// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "import_onnx/importer.h"

namespace dycl::import_onnx {
namespace {

// The counter and the condition are scalars for us; a body may declare them with one dimension.
std::vector<std::int64_t> declared_dims(const onnx::ValueInfoProto& input) {
  const bool one_dim =
      input.type().tensor_type().has_shape() && input.type().tensor_type().shape().dim_size() == 1;
  return one_dim ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{};
}

// A loop of no trips gives an empty tensor; like ONNX Runtime, sizes that are not known are 0 then.
std::vector<std::int64_t> dims_of_no_rows(const TensorType& stacked) {
  if (!stacked.dims) return {0};
  std::vector<std::int64_t> dims;
  for (const Dim& dim : *stacked.dims) dims.push_back(dim.is_static() ? dim.constant : 0);
  return dims;
}

}  // namespace

std::string Importer::loop_key(const Node& node, const Scope& scope) const {
  return fmt::format("{}#{}", to_string(span_of(node, scope)), static_cast<const void*>(&node));
}

Result<ValueId> Importer::stack_rows(ValueId sequence, std::int64_t axis, const std::string& name) {
  const Type& element = *graph_.type_of(sequence).seq()->element;
  TensorType type = *element.tensor();
  if (type.dims) {
    const auto rank = static_cast<std::int64_t>(type.dims->size());
    if (axis < 0) axis += rank + 1;
    if (axis < 0 || axis > rank)
      return fail(Blame::Usage, "onnx.bad_axis",
                  fmt::format("axis {} is outside the rows' rank {}", axis, rank + 1));
    for (Dim& dim : *type.dims)
      if (!dim.is_static()) dim = Dim(graph_.add_symbol("d"));
    type.dims->insert(type.dims->begin() + axis, Dim(graph_.add_symbol("trips")));
  }
  return host(HostOp::SeqConcat, {sequence}, type, name,
              {{"axis", axis}, {"new_axis", std::int64_t{1}}, {"dims", dims_of_no_rows(type)}});
}

Status Importer::import_loop(const Node& node, Scope& scope) {
  Result<const onnx::GraphProto*> body = graph_attribute(node, "body", scope);
  if (!body) return failure_of(std::move(body));
  const onnx::GraphProto& graph = **body;
  LoopSpec spec;
  spec.key = loop_key(node, scope);
  const int carried = std::max(0, node.input_size() - 2);
  const int collected = graph.output_size() - 1 - carried;
  if (graph.input_size() != carried + 2 || collected < 0)
    return fail(Blame::Usage, "onnx.bad_subgraph", "the Loop's body does not fit its carried values");

  Result<std::optional<ValueId>> trips = optional_input(node, 0, scope);
  if (!trips) return failure_of(std::move(trips));
  if (*trips) {
    Result<ValueId> count = to_scalar(**trips, ScalarKind::I64);
    if (!count) return failure_of(std::move(count));
    spec.trip_count = *count;
  }
  Result<std::optional<ValueId>> condition = optional_input(node, 1, scope);
  if (!condition) return failure_of(std::move(condition));
  if (Status status = settle(); !status) return status;
  if (*condition) {
    Result<ValueId> keep = to_scalar(**condition, ScalarKind::Bool);
    if (!keep) return failure_of(std::move(keep));
    spec.keep_going = *keep;
  } else {
    spec.keep_going = builder_.const_bool(true);
  }
  for (int index = 0; index < carried; ++index) {
    Result<ValueId> value = input(node, index + 2, scope);
    if (!value) return failure_of(std::move(value));
    spec.carried.push_back(*value);
  }
  spec.collect_in_front.assign(static_cast<std::size_t>(collected), false);
  spec.body = [&](const LoopSpec::Iteration& iteration) -> Result<LoopSpec::Outcome> {
    std::vector<ValueId> inputs{to_tensor(iteration.index, DType::I64, declared_dims(graph.input(0))),
                                to_tensor(*iteration.keep_going, DType::Bool, declared_dims(graph.input(1)))};
    inputs.insert(inputs.end(), iteration.carried.begin(), iteration.carried.end());
    Result<std::vector<ValueId>> results = import_subgraph(graph, scope, inputs);
    if (!results) return failure_of(std::move(results));
    Result<ValueId> keep = to_scalar(results->front(), ScalarKind::Bool);
    if (!keep) return failure_of(std::move(keep));
    const auto split = results->begin() + 1 + carried;
    return LoopSpec::Outcome{*keep, {results->begin() + 1, split}, {split, results->end()}};
  };
  const SourceId source = graph_.add_source(span_of(node, scope));
  Result<LoopResult> loop = build_loop(spec);
  if (!loop) return failure_of(std::move(loop));
  builder_.set_source(source);
  std::vector<ValueId> results = loop->carried;
  for (std::size_t index = 0; index < loop->collected.size(); ++index) {
    if (static_cast<int>(results.size()) >= node.output_size()) break;
    Result<ValueId> stacked = stack_rows(loop->collected[index], 0, "stacked");
    if (!stacked) return failure_of(std::move(stacked));
    results.push_back(*stacked);
  }
  return define_results(node, results, scope);
}

}  // namespace dycl::import_onnx
