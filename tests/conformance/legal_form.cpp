// SPDX-License-Identifier: Apache-2.0
#include "legal_form.h"

#include <algorithm>

#include "import_onnx/import_onnx.h"
#include "subnet/backend_inference.h"
#include "subnet/subnets.h"

namespace dycl::conformance {
namespace {

std::size_t place_of(ValueId value, const std::vector<ValueId>& values) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

std::vector<ValueId> values_of(const std::vector<Port>& ports) {
  std::vector<ValueId> values;
  for (const Port& port : ports) values.push_back(port.value);
  return values;
}

}  // namespace

Result<LegalForm> legal_form(const onnx::ModelProto& model, const BackendDescription& backend,
                             std::shared_ptr<const Backend> typing) {
  subnet::BackendTypeInference inference(std::move(typing));
  Result<Hcfg> graph = import_onnx::import_onnx(model, inference, {});
  if (!graph) return failure_of(std::move(graph));
  const auto legal = legalize::legalize_subnets(*graph, backend);
  if (!legal) return Failure(legal.error());
  auto subnets = subnet::stamp_subnets(*graph, *legal, backend);
  if (!subnets) return failure_of(std::move(subnets));
  const auto* returned = std::get_if<Return>(&graph->blocks[0].terminator);
  if (subnets->size() != 1 || returned == nullptr)
    return fail(Blame::Internal, "conformance.question", "a question is one sub-DNN");
  const subnet::SubnetInstance& only = subnets->front();
  ConstantTable constants;
  constants.update(*graph);
  LegalForm form{{only.graph.onnx, subnet::weights_of(*graph, constants, only.graph)}, {}, {}, only.guards};
  for (const ValueId input : only.graph.inputs)
    form.inputs.push_back(place_of(input, values_of(graph->inputs)));
  for (const ValueId output : returned->values) form.outputs.push_back(place_of(output, only.graph.outputs));
  return form;
}

}  // namespace dycl::conformance
