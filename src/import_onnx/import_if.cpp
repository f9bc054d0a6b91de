// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/importer.h"

namespace dycl::import_onnx {

Status Importer::import_if(const Node& node, Scope& scope) {
  Result<ValueId> tensor = input(node, 0, scope);
  if (!tensor) return failure_of(std::move(tensor));
  Result<ValueId> condition = to_scalar(*tensor, ScalarKind::Bool);
  if (!condition) return failure_of(std::move(condition));

  struct Arm {
    std::string name;
    BlockId first;
    BlockId last = {};
    std::vector<ValueId> results = {};
  };
  const SourceId source = graph_.add_source(span_of(node, scope));
  Arm arms[2] = {{"then_branch", builder_.new_block()}, {"else_branch", builder_.new_block()}};
  builder_.branch(*condition, arms[0].first, arms[1].first);
  const SymbolScope outside{graph_.symbols.size()};
  for (Arm& arm : arms) {
    Result<const onnx::GraphProto*> body = graph_attribute(node, arm.name, scope);
    if (!body) return failure_of(std::move(body));
    builder_.set_block(arm.first);
    Result<std::vector<ValueId>> results = import_subgraph(**body, scope, {});
    if (!results) return failure_of(std::move(results));
    if (Status status = settle(); !status) return status;
    arm.results = std::move(*results);
    arm.last = builder_.block();
  }
  builder_.set_source(source);
  if (arms[0].results.size() != arms[1].results.size())
    return fail(Blame::Usage, "onnx.bad_subgraph", "the branches of If give different numbers of results");

  const BlockId join = builder_.new_block();
  std::vector<ValueId> joined;
  for (std::size_t index = 0; index < arms[0].results.size(); ++index) {
    const Type& left = graph_.type_of(arms[0].results[index]);
    const Type& right = graph_.type_of(arms[1].results[index]);
    Result<Type> type = join_types(left, right, outside, fresh_symbols(graph_));
    if (!type) return failure_of(std::move(type));
    const bool named = static_cast<int>(index) < node.output_size();
    joined.push_back(builder_.add_parameter(join, *type, named ? node.output(static_cast<int>(index)) : "r"));
  }
  for (Arm& arm : arms) {
    builder_.set_block(arm.last);
    for (std::size_t index = 0; index < joined.size(); ++index) {
      Result<ValueId> value = coerce(arm.results[index], graph_.type_of(joined[index]));
      if (!value) return failure_of(std::move(value));
      arm.results[index] = *value;
    }
    builder_.jump(join, std::move(arm.results));
  }
  builder_.set_block(join);
  return define_results(node, joined, scope);
}

}  // namespace dycl::import_onnx
