// SPDX-License-Identifier: Apache-2.0
#include "pipeline/fragment_trial.h"

#include "backend/registry.h"

namespace dycl::pipeline {
namespace {

// A call on values of the fragment's own types: its sizes stay open.
FragmentCall open_call(Hcfg& graph, const FragmentPtr& fragment) {
  graph.symbols = fragment->symbols;
  const auto add_values = [&](std::span<const ValueId> ports, const char* name) {
    std::vector<ValueId> values;
    for (const ValueId port : ports) values.push_back(graph.add_value(fragment->type_of(port), name));
    return values;
  };
  std::vector<ValueId> inputs = add_values(fragment->inputs, "x");
  return {fragment, std::move(inputs), add_values(fragment->outputs, "y")};
}

}  // namespace

Result<FragmentTrial> FragmentTrial::open(BackendRegistry& backends, FragmentPtr fragment) {
  auto backend = backends.open_reference();
  if (!backend) return failure_of(std::move(backend));
  Hcfg graph;
  Result<subnet::LoneOperation> operation =
      subnet::LoneOperation::make(graph, open_call(graph, fragment), (*backend)->description(),
                                  [&](const std::string& onnx) { return (*backend)->load({onnx, {}}, {}); });
  if (!operation) return failure_of(std::move(operation));
  return FragmentTrial(std::move(fragment), std::move(*operation));
}

}  // namespace dycl::pipeline
