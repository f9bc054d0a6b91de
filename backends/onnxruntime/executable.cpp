// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/executable.h"

#include <algorithm>

#include "base/dtype.h"
#include "common/onnx_model.h"
#include "onnxruntime/graph.h"

namespace dycl::onnxruntime {
namespace {

bool computes_in_f64(const onnx_wire::Model& model) {
  constexpr auto f64 = static_cast<std::int32_t>(DType::F64);
  const auto makes_f64 = [](const onnx_wire::Node& node) {
    return node.integer("to", 0) == f64 || node.integer("dtype", 0) == f64;
  };
  return std::ranges::count(model.inputs, f64, &onnx_wire::ValueInfo::dtype) > 0 ||
         std::ranges::count(model.initializers, f64, &onnx_wire::Tensor::dtype) > 0 ||
         std::ranges::any_of(model.nodes, makes_f64);
}

}  // namespace

Result<std::shared_ptr<const Executable>> Executable::load(std::shared_ptr<const Environment> environment,
                                                           const DyclGraph& graph) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  auto executable = std::make_shared<Executable>();
  executable->environment_ = std::move(environment);
  const Environment& env = *executable->environment_;
  const PreparedGraph prepared = prepare(*model, graph);
  auto session = env.make_session(prepared.onnx, prepared.weights,
                                  computes_in_f64(*model) ? Optimize::Exactly : Optimize::Fully);
  if (!session) return failure_of(std::move(session));
  executable->session_ = std::move(*session);
  const OrtSession* handle = executable->session_.session.get();
  auto in_names = input_names(env.api(), handle);
  auto in_types = input_types(env.api(), handle);
  auto out_names = output_names(env.api(), handle);
  auto out_types = output_types(env.api(), handle);
  if (!in_names || !in_types || !out_names || !out_types)
    return fail(Blame::Backend, "onnxruntime.error", "the session does not name its inputs and outputs");
  for (std::size_t index = 0; index < in_names->size(); ++index)
    executable->inputs_.push_back({std::move((*in_names)[index]), std::move((*in_types)[index]), false});
  for (std::size_t index = 0; index < out_names->size(); ++index) {
    const bool through = std::ranges::count(executable->inputs_, (*out_names)[index], &Port::name) > 0;
    executable->outputs_.push_back({std::move((*out_names)[index]), std::move((*out_types)[index]), through});
  }
  for (const Port& port : executable->inputs_) executable->input_names_.push_back(port.name.c_str());
  for (const Port& port : executable->outputs_) executable->output_names_.push_back(port.name.c_str());
  return executable;
}

}  // namespace dycl::onnxruntime
