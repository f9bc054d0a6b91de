// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/executable.h"

#include <fmt/format.h>

#include <array>

#include "common/tensors.h"

namespace dycl::aot_inductor {
namespace {

constexpr std::int32_t kTorchCpu = 0;

DyclTensor view_of(const TensorData& tensor) {
  return {static_cast<std::int32_t>(tensor.dtype),
          static_cast<std::int32_t>(tensor.dims.size()),
          tensor.dims.data(),
          tensor.bytes.data(),
          tensor.bytes.size(),
          plugin::cpu_device,
          0};
}

}  // namespace

Result<Tensor> Tensor::over(const TorchApi& torch, const DyclTensor& tensor) {
  std::array<std::int64_t, DYCL_MAX_RANK> strides{};
  std::int64_t step = 1;
  for (auto axis = static_cast<std::size_t>(tensor.rank); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(1, tensor.dims[axis]);
  }
  const auto dtype = dtype_from_number(tensor.dtype);
  const auto number = dtype ? to_torch(*dtype) : std::nullopt;
  TensorHandle handle = nullptr;
  // torch's functions take no pointers to const; compiled graphs are functional and write to no input.
  if (!number || torch.create_tensor_from_blob(const_cast<void*>(tensor.data), tensor.rank, tensor.dims,
                                               strides.data(), 0, *number, kTorchCpu, 0, &handle) != 0)
    return fail(Blame::Backend, "aot_inductor.error",
                fmt::format("torch does not take a tensor {}",
                            plugin::describe_tensor(tensor.dtype, plugin::dims_of(tensor))));
  return Tensor(torch, handle);
}

Result<std::shared_ptr<const Executable>> Executable::create(std::shared_ptr<const TorchApi> torch,
                                                             std::shared_ptr<const ModelLibrary> library,
                                                             Payload payload, std::int64_t smallest,
                                                             const DyclGraph& graph) {
  auto executable = std::make_shared<Executable>();
  executable->torch = std::move(torch);
  executable->library = std::move(library);
  executable->payload = std::move(payload);
  executable->smallest = smallest;
  std::vector<DyclTensor> tensors(graph.weights, graph.weights + graph.weight_count);
  for (const TensorData& constant : executable->payload.outside) tensors.push_back(view_of(constant));
  for (const DyclTensor& tensor : tensors) {
    auto fixed = Tensor::over(*executable->torch, tensor);
    if (!fixed) return failure_of(std::move(fixed));
    executable->fixed.push_back(std::move(*fixed));
    executable->fixed_memory.emplace_back(static_cast<const std::byte*>(tensor.data), tensor.byte_size);
  }
  return executable;
}

}  // namespace dycl::aot_inductor
