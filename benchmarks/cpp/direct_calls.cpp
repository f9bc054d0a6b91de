// SPDX-License-Identifier: Apache-2.0
#include "direct_calls.h"

#include <algorithm>

#include "runtime/flat_plan.h"

namespace dycl::bench {
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

Result<DirectCalls> DirectCalls::bind(const runtime::LoadedProgram& program) {
  DirectCalls direct;
  const HostPlan& plan = program.artifact().plan;
  for (const PlanInstruction& instruction : plan.code) {
    const auto* call = std::get_if<PlanCall>(&instruction.operation);
    if (call == nullptr) continue;
    auto bound = std::make_unique<Bound>();
    bound->executable = program.executables()[program.flat_plan().subnets[call->subnet].executable];
    auto made = bound->executable->create_call();
    if (!made) return failure_of(std::move(made));
    bound->call = std::make_unique<BackendCall>(std::move(*made));
    if (Status slots = bind_slots(plan, *call, *bound); !slots) return failure_of(std::move(slots));
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
