// SPDX-License-Identifier: Apache-2.0
#include "executable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/tensor_data.h"
#include "element_type.h"

namespace dycl::openvino {
namespace {

void read_static_dims(const OvPartialShape& shape, OutputPort& output) {
  if (shape.rank.min != shape.rank.max || shape.rank.max > DYCL_MAX_RANK) return;
  output.is_static = true;
  for (std::int64_t i = 0; i < shape.rank.max; ++i) {
    output.is_static = output.is_static && shape.dims[i].min == shape.dims[i].max;
    output.dims.push_back(shape.dims[i].max);
  }
  const auto count = output.is_static ? element_count(output.dims) : std::nullopt;
  const auto size = count ? byte_size(output.value.dtype, *count) : std::nullopt;
  output.is_static = size.has_value();
  output.size = size.value_or(0);
}

}  // namespace

Result<std::unique_ptr<OvExecutable>> OvExecutable::create(const OvBackend& backend, PreparedGraph graph,
                                                           ScopedHandle<OvCompiledModel> compiled) {
  auto executable =
      std::unique_ptr<OvExecutable>(new OvExecutable(backend.api(), std::move(compiled)));  // NOLINT
  executable->guards_ = std::move(graph.guards);
  executable->largest_integer_ = graph.largest_integer;
  if (Status status = executable->find_inputs(graph.inputs); !status) return failure_of(std::move(status));
  if (Status status = executable->find_outputs(graph.outputs); !status) return failure_of(std::move(status));
  return executable;
}

// By name: OpenVINO drops inputs it does not use, which shifts the others.
Status OvExecutable::find_inputs(const std::vector<BorderValue>& values) {
  std::size_t found = 0;
  for (const BorderValue& value : values) {
    OvPort* port = nullptr;
    if (api_->compiled_input_by_name(compiled_.get(), value.name.c_str(), &port) != 0) port = nullptr;
    found += port == nullptr ? 0 : 1;
    const bool is_checked =
        is_wide_integer(value.dtype) && (value.dtype != DType::I32 || largest_integer_ < INT32_MAX);
    inputs_.push_back({value, {port, api_->port_free}, is_checked, fmt::format("input '{}'", value.name)});
  }
  std::size_t count = 0;
  if (api_->compiled_inputs_size(compiled_.get(), &count) == 0 && count == found) return {};
  return fail(Blame::Backend, "openvino.inputs", "the compiled blob does not have the graph's inputs");
}

Status OvExecutable::find_outputs(const std::vector<BorderValue>& values) {
  std::size_t count = 0;
  const std::size_t expected = values.size() + (guards_.empty() ? 0 : 1);
  if (api_->compiled_outputs_size(compiled_.get(), &count) != 0 || count != expected)
    return fail(Blame::Backend, "openvino.outputs", "the compiled blob does not have the graph's outputs");
  for (std::size_t i = 0; i < values.size(); ++i) {
    OvPort* port = nullptr;
    if (Status status = to_status(*api_, api_->compiled_output(compiled_.get(), i, &port), "find an output");
        !status)
      return status;
    const ScopedHandle<OvPort> owner(port, api_->port_free);
    OutputPort output{values[i], 0, false, {}, 0};
    OvPartialShape shape{};
    if (api_->port_element_type(port, &output.element_type) != 0 ||
        api_->port_partial_shape(port, &shape) != 0)
      return fail(Blame::Backend, "openvino.outputs", "an output's type cannot be read");
    read_static_dims(shape, output);
    api_->partial_shape_free(&shape);
    if (from_openvino(output.element_type) != values[i].dtype)
      return fail(Blame::Backend, "openvino.outputs",
                  fmt::format("openvino gives output '{}' another element type than {}", values[i].name,
                              name_of(values[i].dtype)));
    outputs_.push_back(std::move(output));
  }
  return {};
}

Result<ScopedHandle<OvInferRequest>> OvExecutable::create_request() const {
  OvInferRequest* request = nullptr;
  const OvStatus status = api_->compiled_create_request(compiled_.get(), &request);
  if (Status checked = to_status(*api_, status, "prepare a run"); !checked)
    return failure_of(std::move(checked));
  return ScopedHandle<OvInferRequest>(request, api_->request_free);
}

}  // namespace dycl::openvino
