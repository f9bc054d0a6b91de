// SPDX-License-Identifier: Apache-2.0
#include "common/onnx_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/operator_traits.h"
#include "common/tensors.h"
#include "onnx_wire/fields.h"
#include "onnx_wire/read_model.h"
#include "onnx_wire/wire.h"

namespace dycl::plugin {
namespace {

Failure control_flow(std::string_view what) {
  return fail(Blame::Internal, "backend.control_flow",
              fmt::format("a sub-DNN contains {}, which no backend may be given", what));
}

Status refuse_control_flow(const onnx_wire::Model& model) {
  for (const onnx_wire::Node& node : model.nodes)
    if (node.domain.empty() && has_trait(node.op, Trait::ControlFlow)) return control_flow(node.op);
  if (onnx_wire::has_field(model.other, onnx_wire::field::kModelFunctions))
    return control_flow("model-local functions");
  return {};
}

Status check_weights(const DyclGraph& graph) {
  for (std::size_t index = 0; index < graph.weight_count; ++index) {
    if (graph.weight_names[index] == nullptr)
      return fail(Blame::Usage, "backend.bad_tensor", fmt::format("weight {} has no name", index));
    const Status safe =
        check_tensor(graph.weights[index], fmt::format("weight '{}'", graph.weight_names[index]));
    if (!safe) return safe;
  }
  return {};
}

// Every external initializer must be given, with the type that the graph declares: a vendor library
// would otherwise go and look for a file.
Status check_external(const onnx_wire::Model& model, const DyclGraph& graph) {
  for (const onnx_wire::Tensor& wanted : model.initializers) {
    if (!wanted.is_external) continue;
    std::size_t index = 0;
    while (index < graph.weight_count && wanted.name != graph.weight_names[index]) ++index;
    if (index == graph.weight_count)
      return fail(Blame::Usage, "backend.missing_weight",
                  fmt::format("weight '{}' was not given", wanted.name));
    const DyclTensor& given = graph.weights[index];
    if (given.dtype != wanted.dtype || !std::ranges::equal(dims_of(given), wanted.dims))
      return fail(Blame::Usage, "backend.wrong_weight",
                  fmt::format("weight '{}' is {}, the graph declares {}", wanted.name,
                              describe_tensor(given.dtype, dims_of(given)),
                              describe_tensor(wanted.dtype, wanted.dims)));
  }
  return {};
}

}  // namespace

Result<onnx_wire::Model> read_model(const DyclGraph& graph) {
  auto model = onnx_wire::read_model({static_cast<const char*>(graph.onnx.data), graph.onnx.size});
  if (!model)
    return fail(Blame::Usage, "backend.bad_graph",
                fmt::format("the graph is not an ONNX model: {}", model.error()));
  if (Status safe = check_weights(graph); !safe) return failure_of(std::move(safe));
  if (Status given = check_external(*model, graph); !given) return failure_of(std::move(given));
  if (Status plain = refuse_control_flow(*model); !plain) return failure_of(std::move(plain));
  return std::move(*model);
}

}  // namespace dycl::plugin
