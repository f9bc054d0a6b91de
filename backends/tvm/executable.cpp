// SPDX-License-Identifier: Apache-2.0
#include "tvm/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/dtype.h"
#include "common/onnx_model.h"
#include "common/tensors.h"
#include "tvm/element_type.h"

namespace dycl::tvm {
namespace {

Port port_of(const onnx_wire::ValueInfo& declared) {
  Port port{declared.name, declared.dtype, {}};
  for (const onnx_wire::Size& size : declared.sizes.value_or(std::vector<onnx_wire::Size>()))
    port.dims.push_back(size.fixed);
  return port;
}

DyclTensor tensor_of(const onnx_wire::Tensor& inside) {
  return {inside.dtype,
          static_cast<std::int32_t>(inside.dims.size()),
          inside.dims.data(),
          inside.raw.data(),
          inside.raw.size(),
          plugin::cpu_device,
          0};
}

std::byte* aligned(std::byte* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (alignment - address % alignment) % alignment;
}

}  // namespace

void TensorView::point_at(const DyclTensor& tensor, Memory memory_of_tensor) {
  dims_.assign(tensor.dims, tensor.dims + tensor.rank);
  managed_.tensor.rank = tensor.rank;
  managed_.tensor.dims = dims_.data();
  managed_.tensor.dtype = to_dlpack(tensor.dtype);
  size_ = tensor.byte_size;
  const bool usable =
      tensor.data != nullptr && reinterpret_cast<std::uintptr_t>(tensor.data) % alignment == 0;
  if (usable && memory_of_tensor == Memory::Stays) {
    managed_.tensor.data = const_cast<void*>(tensor.data);  // TVM only reads inputs
    return;
  }
  if (copy_.size() < size_ + alignment) copy_.resize(size_ + alignment);
  std::byte* memory = aligned(copy_.data());
  if (size_ > 0) std::memcpy(memory, tensor.data, size_);
  managed_.tensor.data = memory;
}

bool TensorView::contains(const void* data) const {
  const auto* begin = static_cast<const std::byte*>(managed_.tensor.data);
  const auto* place = static_cast<const std::byte*>(data);
  return place >= begin && place <= begin + size_;
}

Result<std::shared_ptr<const Executable>> Executable::load(std::shared_ptr<const Library> library,
                                                           const DyclGraph& graph,
                                                           const std::vector<std::string>& weight_names) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  auto executable = std::make_shared<Executable>();
  for (const onnx_wire::ValueInfo& input : model->inputs)
    if (find_initializer(*model, input.name) == nullptr) executable->inputs_.push_back(port_of(input));
  executable->output_count_ = model->outputs.size();
  const std::span given(graph.weight_names, graph.weight_count);
  for (const std::string& name : weight_names) {
    const auto found =
        std::ranges::find(given, name, [](const char* text) { return std::string_view(text); });
    const onnx_wire::Tensor* inside = find_initializer(*model, name);
    if (found == given.end() && inside == nullptr)
      return fail(Blame::Package, "backend.missing_weight", fmt::format("the weight '{}' is missing", name));
    const DyclTensor weight =
        found == given.end() ? tensor_of(*inside) : graph.weights[found - given.begin()];
    if (Status safe = plugin::check_tensor(weight, fmt::format("the weight '{}'", name)); !safe)
      return failure_of(std::move(safe));
    auto view = std::make_unique<TensorView>();
    view->point_at(weight, found == given.end() ? TensorView::Memory::Goes : TensorView::Memory::Stays);
    auto tensor = library->ffi().view(view->managed());
    if (!tensor) return failure_of(std::move(tensor));
    executable->weights_.push_back(std::move(view));
    executable->weight_tensors_.push_back(std::move(*tensor));
  }
  executable->library_ = std::move(library);
  return executable;
}

}  // namespace dycl::tvm
