// SPDX-License-Identifier: Apache-2.0
// How the executor calls a sub-DNN: memory offered, results taken over without a copy.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/executor.h"
#include "runtime/string_tensor.h"
#include "runtime/trace.h"

namespace dycl::runtime {
namespace {

Failure broken_contract(std::string what) {
  return fail(Blame::Internal, "run.output_contract", std::move(what), {},
              "this is a bug in DyCL or in the backend: please report it");
}

// The name and the place in the user's model belong to every failure of a sub-DNN.
Failure in_subnet(Diagnostic diagnostic, const PlanSubnet& subnet, const SourceSpan& source) {
  diagnostic.message = fmt::format("sub-DNN '{}' failed: {}", subnet.name, diagnostic.message);
  if (!diagnostic.span.known()) diagnostic.span = source;
  return Failure(std::move(diagnostic));
}

}  // namespace

Status Executor::call_subnet(const FlatInstruction& code, std::uint32_t at) {
  const FlatSubnet& subnet = plan_.subnets[code.subject];
  const PlanSubnet& named = program_->artifact().plan.subnets[code.subject];
  ++stats_.subnet_calls;
  auto call = call_of(subnet);
  if (!call) return in_subnet(std::move(call.error()), named, instruction(at).source);
  if (Status ready = prepare_inputs(code); !ready) return ready;
  const auto outputs = part(plan_.slots, code.outputs);
  for (std::size_t index = 0; index < outputs.size(); ++index)
    prepare_output(index, plan_.shapes[outputs[index]]);
  const std::size_t count = outputs.size() + subnet.guards;
  for (std::size_t index = outputs.size(); index < count; ++index) prepare_output(index, FlatShape{});

  const auto start = recorder_ == nullptr ? TraceRecorder::Clock::time_point() : TraceRecorder::Clock::now();
  Status ran =
      (*call)->run(std::span(call_inputs_).first(code.inputs.count), std::span(call_outputs_).first(count));
  if (recorder_ != nullptr) recorder_->record(TraceKind::Subnet, at, start, TraceRecorder::Clock::now());
  if (!ran) {
    abandon_outputs(count);
    ran.error().code = "run.backend";
    return in_subnet(std::move(ran.error()), named, instruction(at).source);
  }
  Status accepted = accept_outputs(code);
  const Status guarded = check_guards(code, at);  // also takes over the guards' memory
  if (!accepted) return in_subnet(std::move(accepted.error()), named, instruction(at).source);
  if (!guarded) return guarded;
  release(code.dead);
  return {};
}

Result<BackendCall*> Executor::call_of(const FlatSubnet& subnet) {
  std::optional<BackendCall>& call = calls_[subnet.executable];
  if (!call) {
    auto made = program_->executables()[subnet.executable]->create_call();
    if (!made) return failure_of(std::move(made));
    call.emplace(std::move(*made));
  }
  return &*call;
}

Status Executor::prepare_inputs(const FlatInstruction& code) {
  const auto operands = part(plan_.operands, code.inputs);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const RuntimeTensor* tensor = slots_[operands[index].slot].tensor();
    if (tensor == nullptr)
      return fail(Blame::Package, "run.bad_plan",
                  "the host plan calls a sub-DNN on a slot that holds no tensor");
    call_inputs_[index] = view_of(*tensor);
  }
  return {};
}

// Offers pool memory when every size follows from the plan and the inputs; else the backend provides it.
void Executor::prepare_output(std::size_t index, const FlatShape& shape) {
  DyclOutput& output = call_outputs_[index];
  output.buffer = nullptr;
  output.capacity = 0;
  output.data = nullptr;
  output.byte_size = 0;
  output.owner = nullptr;
  output.release = nullptr;
  output.dtype = static_cast<std::int32_t>(shape.dtype);
  output.rank = 0;
  if (!shape.computable || shape.device.kind != DeviceKind::Cpu) return;
  std::size_t axis = 0;
  for (const FlatDim& dim : part(plan_.dims, shape.dims)) {
    const std::int64_t size = size_of_dim(plan_, dim, symbols_);
    if (size < 0) return;
    output.dims[axis++] = size;
  }
  std::optional<std::size_t> bytes = shape.bytes;
  if (!shape.is_static) {
    const auto count = element_count({output.dims, axis});
    bytes = count ? byte_size(shape.dtype, *count) : std::nullopt;
  }
  if (!bytes || shape.dtype == DType::String) return;
  offers_[index] = pool_->take(*bytes);
  output.buffer = offers_[index]->data;
  output.capacity = offers_[index]->capacity;
  output.rank = static_cast<std::int32_t>(axis);
}

Status Executor::accept_outputs(const FlatInstruction& code) {
  Status accepted;
  const auto outputs = part(plan_.slots, code.outputs);
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    RuntimeTensor tensor = take_output(index, plan_.subnets[code.subject]);
    const FlatShape& shape = plan_.shapes[outputs[index]];
    tensor.device = shape.device;
    if (accepted) accepted = check_output(tensor, shape, call_outputs_[index]);
    slots_[outputs[index]] = std::move(tensor);
  }
  return accepted;
}

// The result in our own memory, or in the backend's, which is released with its last reader.
RuntimeTensor Executor::take_output(std::size_t index, const FlatSubnet& subnet) {
  const DyclOutput& output = call_outputs_[index];
  RuntimeTensor tensor;
  tensor.dtype = static_cast<DType>(output.dtype);
  const bool rank_fits = output.rank >= 0 && output.rank <= DYCL_MAX_RANK;
  tensor.dims = InlineDims({output.dims, rank_fits ? static_cast<std::size_t>(output.rank) : 0});
  tensor.byte_size = output.byte_size;
  if (output.buffer != nullptr && output.data == output.buffer) {
    tensor.buffer = std::move(offers_[index]);
  } else {
    ++stats_.backend_outputs;
    offers_[index] = BufferRef();
    tensor.buffer = pool_->wrap(output.data, output.byte_size, output.owner, output.release,
                                program_->executables()[subnet.executable]);
  }
  tensor.data = tensor.buffer->data;
  return tensor;
}

Status Executor::check_output(const RuntimeTensor& tensor, const FlatShape& shape,
                              const DyclOutput& raw) const {
  const auto given = [&] { return describe(RuntimeValue(tensor)); };
  if (raw.rank < 0 || raw.rank > DYCL_MAX_RANK) return broken_contract("an output has no possible rank");
  if (tensor.dtype != shape.dtype)
    return broken_contract(fmt::format("it gave {} where {} is promised", given(), name_of(shape.dtype)));
  if (shape.ranked && shape.dims.count != tensor.dims.size())
    return broken_contract(fmt::format("it gave {} where {} dims are promised", given(), shape.dims.count));
  for (std::size_t axis = 0; shape.ranked && axis < tensor.dims.size(); ++axis) {
    const std::int64_t promised = size_of_dim(plan_, plan_.dims[shape.dims.begin + axis], symbols_);
    if (promised >= 0 && promised != tensor.dims[axis])
      return broken_contract(
          fmt::format("it gave {} where size {} is promised in dim {}", given(), promised, axis));
  }
  const auto count = element_count(tensor.dims.span());
  if (!count) return broken_contract("an output has no possible size");
  if (tensor.dtype == DType::String) return check_strings(*count, tensor.bytes());
  const auto bytes = byte_size(tensor.dtype, *count);
  if (!bytes || *bytes != tensor.byte_size || (tensor.data == nullptr && *bytes > 0))
    return broken_contract(fmt::format("it gave {} in {} bytes", given(), tensor.byte_size));
  return {};
}

Status Executor::check_guards(const FlatInstruction& code, std::uint32_t at) {
  const FlatSubnet& subnet = plan_.subnets[code.subject];
  const PlanSubnet& named = program_->artifact().plan.subnets[code.subject];
  Status passed;
  for (std::size_t index = 0; index < subnet.guards; ++index) {
    const RuntimeTensor guard = take_output(code.outputs.count + index, subnet);
    const auto count = element_count(guard.dims.span());
    if (!passed) continue;
    if (guard.dtype != DType::Bool || !count || static_cast<std::size_t>(*count) != guard.byte_size)
      passed = in_subnet(broken_contract("a guard is not a bool").value(), named, instruction(at).source);
    else if (std::ranges::any_of(guard.bytes(), [](std::byte flag) { return flag != std::byte{0}; }))
      passed = raise_guard(named.guards[index], at);
  }
  return passed;
}

Failure Executor::raise_guard(const PlanGuard& guard, std::uint32_t at) const {
  Failure failure = guard_failure(guard.type, guard.message);
  std::vector<SourceSpan> stack{guard.source};
  stack.insert(stack.end(), guard.callers.begin(), guard.callers.end());
  if (guard.source.known())
    locate(failure.value(), stack);
  else
    locate_at(failure.value(), at);
  return failure;
}

// After a failure: nothing of what the backend may have filled in is kept.
void Executor::abandon_outputs(std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    offers_[index] = BufferRef();
    const DyclOutput& output = call_outputs_[index];
    if (output.owner != nullptr && output.release != nullptr) output.release(output.owner);
  }
}

}  // namespace dycl::runtime
