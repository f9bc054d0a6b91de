// SPDX-License-Identifier: Apache-2.0
// One compiled sub-DNN, and one thread's use of it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend.h"
#include "backend/plugin_abi.h"
#include "prepare.h"

namespace dycl::openvino {

struct InputPort {
  BorderValue value;
  ScopedHandle<OvPort> port;  // null: OpenVINO found no use for this input
  bool is_checked = false;    // integers whose size matters
  std::string role;           // "input 'x'"
};

struct OutputPort {
  BorderValue value;
  int element_type = 0;
  bool is_static = false;
  Dims dims;             // when static
  std::size_t size = 0;  // bytes, when static
};

class OvExecutable {
 public:
  static Result<std::unique_ptr<OvExecutable>> create(const OvBackend& backend, PreparedGraph graph,
                                                      ScopedHandle<OvCompiledModel> compiled);

  [[nodiscard]] const OvApi& api() const { return *api_; }
  [[nodiscard]] const std::vector<InputPort>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<OutputPort>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<std::string>& guards() const { return guards_; }
  [[nodiscard]] std::int64_t largest_integer() const { return largest_integer_; }
  [[nodiscard]] Result<ScopedHandle<OvInferRequest>> create_request() const;

 private:
  explicit OvExecutable(const OvApi& api, ScopedHandle<OvCompiledModel> compiled)
      : api_(&api), compiled_(std::move(compiled)) {}
  Status find_inputs(const std::vector<BorderValue>& values);
  Status find_outputs(const std::vector<BorderValue>& values);

  const OvApi* api_;
  ScopedHandle<OvCompiledModel> compiled_;
  std::vector<InputPort> inputs_;
  std::vector<OutputPort> outputs_;
  std::vector<std::string> guards_;
  std::int64_t largest_integer_ = 0;
};

class OvCall {
 public:
  static Result<std::unique_ptr<OvCall>> create(const OvExecutable& executable);
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  // What is bound at a port now, so that binding it again costs nothing.
  struct Binding {
    const void* memory = nullptr;
    Dims dims;
  };

  OvCall(const OvExecutable& executable, ScopedHandle<OvInferRequest> request);
  Status check_input(const InputPort& port, const DyclTensor& tensor) const;
  Status bind_input(std::size_t index, const DyclTensor& tensor);
  Status bind_output(std::size_t index, DyclOutput& output);
  Status collect_output(std::size_t index, DyclOutput& output);
  Status bind_guards();
  Status copy_out(const OutputPort& port, std::size_t index, DyclOutput& output);
  Status hand_over(const OutputPort& port, ScopedHandle<OvTensor> tensor, std::span<const std::int64_t> dims,
                   std::size_t size, DyclOutput& output);
  [[nodiscard]] Status check_guards() const;

  const OvExecutable* executable_;
  const OvApi* api_;
  ScopedHandle<OvInferRequest> request_;
  std::vector<Binding> bound_inputs_;
  std::vector<Binding> bound_outputs_;
  std::vector<ScopedHandle<OvTensor>> fresh_;  // made for results that leave with the caller
  std::vector<float> guard_flags_;             // OpenVINO writes them here
  Dims scratch_dims_;
};

}  // namespace dycl::openvino
