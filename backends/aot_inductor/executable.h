// SPDX-License-Identifier: Apache-2.0
// A loaded sub-DNN and one thread's call of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aot_inductor/library.h"
#include "aot_inductor/payload.h"
#include "backend/plugin_abi.h"

namespace dycl::aot_inductor {

// A tensor of torch, over our memory or its own.
class Tensor {
 public:
  Tensor(const TorchApi& torch, TensorHandle handle) : torch_(&torch), handle_(handle) {}
  Tensor(Tensor&& other) noexcept : torch_(other.torch_), handle_(other.release()) {}
  Tensor& operator=(Tensor&&) = delete;
  ~Tensor() {
    if (handle_ != nullptr) torch_->delete_tensor_object(handle_);
  }
  static Result<Tensor> over(const TorchApi& torch, const DyclTensor& tensor);

  [[nodiscard]] TensorHandle get() const { return handle_; }
  TensorHandle release() { return std::exchange(handle_, nullptr); }
  [[nodiscard]] const TorchApi& torch() const { return *torch_; }

 private:
  const TorchApi* torch_;
  TensorHandle handle_;
};

// A loaded sub-DNN. The weights and the small constants are the last inputs of its library.
struct Executable {
  std::shared_ptr<const TorchApi> torch;
  std::shared_ptr<const ModelLibrary> library;
  Payload payload;
  std::int64_t smallest = 0;  // size of a named dimension
  std::vector<Tensor> fixed;
  std::vector<std::span<const std::byte>> fixed_memory;

  static Result<std::shared_ptr<const Executable>> create(std::shared_ptr<const TorchApi> torch,
                                                          std::shared_ptr<const ModelLibrary> library,
                                                          Payload payload, std::int64_t smallest,
                                                          const DyclGraph& graph);
};

class Call {
  struct OnlyCreate {};

 public:
  static Result<std::unique_ptr<Call>> create(std::shared_ptr<const Executable> executable);
  ~Call();
  Call(OnlyCreate, std::shared_ptr<const Executable> executable, ContainerHandle container);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  Status check_inputs(std::span<const DyclTensor> inputs);
  Status check_size(const Port& port, std::size_t axis, std::int64_t size);
  Status feed(std::span<const DyclTensor> inputs);
  Status hand_over(Tensor result, std::span<const DyclTensor> inputs, DyclOutput& output) const;
  [[nodiscard]] bool lies_in_foreign_memory(const void* data, std::span<const DyclTensor> inputs) const;

  std::shared_ptr<const Executable> executable_;
  ContainerHandle container_;
  // These are kept between runs, so that a warmed-up run allocates little.
  std::vector<std::int64_t> symbols_;
  std::vector<TensorHandle> fed_;
  std::vector<TensorHandle> results_;
};

}  // namespace dycl::aot_inductor
