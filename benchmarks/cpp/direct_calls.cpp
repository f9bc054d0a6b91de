// SPDX-License-Identifier: Apache-2.0
#include "direct_calls.h"

#include <cstring>

namespace dycl::bench {
namespace {

BackendGraph graph_of(const Artifact& artifact, const SubnetArtifact& subnet) {
  BackendGraph graph{subnet.graph, {}};
  for (const std::string& name : subnet.weights) graph.weights.emplace_back(name, artifact.weights.at(name));
  return graph;
}

std::string_view blob_of(const SubnetArtifact& subnet, const std::string& backend) {
  const auto found = subnet.blobs.find(backend);
  return found == subnet.blobs.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

Result<StaticShape> static_shape(const Type& type) {
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr || !tensor->is_static())
    return fail(Blame::Usage, "bench.shape", "this benchmark needs tensors of known shapes");
  StaticShape shape;
  for (const Dim& dim : *tensor->dims) shape.dims.push_back(dim.constant);
  shape.byte_size = byte_size(tensor->dtype, element_count(shape.dims).value_or(0)).value_or(0);
  return shape;
}

Status DirectCalls::bind_slots(const HostPlan& plan, const PlanCall& call, Bound& bound) {
  const auto memory_of = [&](SlotIndex slot) -> Result<std::int32_t> {
    auto shape = static_shape(plan.slots[slot]);
    if (!shape) return failure_of(std::move(shape));
    bound.dims.push_back(shape->dims);
    bound.memory.emplace_back(shape->byte_size);
    return static_cast<std::int32_t>(plan.slots[slot].tensor()->dtype);
  };
  for (const SlotIndex slot : call.inputs) {
    auto dtype = memory_of(slot);
    if (!dtype) return failure_of(std::move(dtype));
    const auto& dims = bound.dims.back();
    bound.inputs.push_back({*dtype, static_cast<std::int32_t>(dims.size()), dims.data(),
                            bound.memory.back().data(), bound.memory.back().size(), 1, 0});
  }
  for (const SlotIndex slot : call.outputs) {
    auto dtype = memory_of(slot);
    if (!dtype) return failure_of(std::move(dtype));
    DyclOutput output{};
    output.buffer = bound.memory.back().data();
    output.capacity = bound.memory.back().size();
    output.dtype = *dtype;
    output.rank = static_cast<std::int32_t>(bound.dims.back().size());
    std::ranges::copy(bound.dims.back(), output.dims);
    bound.outputs.push_back(output);
  }
  return {};
}

Result<DirectCalls> DirectCalls::bind(const Artifact& artifact, const Backend& backend) {
  DirectCalls direct;
  for (const PlanInstruction& instruction : artifact.plan.code) {
    const auto* call = std::get_if<PlanCall>(&instruction.operation);
    if (call == nullptr) continue;
    const PlanSubnet& planned = artifact.plan.subnets[call->subnet];
    const SubnetArtifact& subnet = artifact.subnets.at(planned.hash);
    auto bound = std::make_unique<Bound>();
    auto executable = backend.load(graph_of(artifact, subnet), blob_of(subnet, planned.backend));
    if (!executable) return failure_of(std::move(executable));
    bound->executable = *executable;
    auto made = bound->executable->create_call();
    if (!made) return failure_of(std::move(made));
    bound->call = std::make_unique<BackendCall>(std::move(*made));
    if (Status slots = bind_slots(artifact.plan, *call, *bound); !slots) return failure_of(std::move(slots));
    direct.calls_.push_back(std::move(bound));
  }
  return direct;
}

void DirectCalls::run() {
  for (const auto& bound : calls_) {
    const Status done = bound->call->run(bound->inputs, bound->outputs);
    if (!done) internal_error(done.error().message);
  }
}

}  // namespace dycl::bench
