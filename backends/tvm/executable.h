// SPDX-License-Identifier: Apache-2.0
// A loaded sub-DNN and one thread's call of it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/plugin_abi.h"
#include "tvm/library.h"

namespace dycl::tvm {

// A tensor in the form that TVM reads, with all that it points at; it must not move while TVM has it.
class TensorView {
 public:
  enum class Memory { Stays, Goes };
  // Copies memory that does not stay alive, or is not aligned as TVM's kernels need it.
  void point_at(const DyclTensor& tensor, Memory memory = Memory::Stays);
  [[nodiscard]] DLManagedTensor& managed() { return managed_; }
  // Says whether `data` lies in the memory that this tensor reads.
  [[nodiscard]] bool contains(const void* data) const;

 private:
  DLManagedTensor managed_;
  std::vector<std::int64_t> dims_;
  std::vector<std::byte> copy_;
  std::size_t size_ = 0;
};

struct Port {
  std::string name;
  std::int32_t dtype = 0;
  std::vector<std::int64_t> dims;  // -1: any size
};

class Executable {
 public:
  static Result<std::shared_ptr<const Executable>> load(std::shared_ptr<const Library> library,
                                                        const DyclGraph& graph,
                                                        const std::vector<std::string>& weight_names);

 private:
  friend class Call;
  std::shared_ptr<const Library> library_;
  std::vector<Port> inputs_;
  std::size_t output_count_ = 0;
  std::vector<std::unique_ptr<TensorView>> weights_;
  std::vector<Object> weight_tensors_;
};

class Call {
 public:
  Call(std::shared_ptr<const Executable> executable, Machine machine);
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  Status bind(std::span<const DyclTensor> inputs);
  Result<std::vector<Object>> execute(std::size_t output_count);
  Status hand_over(Object result, DyclOutput& output) const;
  [[nodiscard]] bool is_borrowed(const void* data) const;  // it belongs to an input or a weight

  std::shared_ptr<const Executable> executable_;
  Machine machine_;
  std::vector<std::unique_ptr<TensorView>> inputs_;
  std::vector<Object> tensors_;
  std::vector<Any> arguments_;
};

}  // namespace dycl::tvm
