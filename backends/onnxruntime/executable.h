// SPDX-License-Identifier: Apache-2.0
// A loaded sub-DNN and one thread's call of it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "onnxruntime/session.h"

namespace dycl::onnxruntime {

class Executable {
 public:
  static Result<std::shared_ptr<const Executable>> load(std::shared_ptr<const Environment> environment,
                                                        const DyclGraph& graph);

 private:
  friend class Call;
  struct Port {
    std::string name;
    PortType type;
    bool handed_through = false;  // an output that is an input: ONNX Runtime ignores offered memory
  };

  std::shared_ptr<const Environment> environment_;
  LoadedSession session_{{}, {nullptr, nullptr}};
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<const char*> input_names_;
  std::vector<const char*> output_names_;
};

class Call {
 public:
  explicit Call(std::shared_ptr<const Executable> executable);
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  Status bind_inputs(std::span<const DyclTensor> inputs);
  Status bind_outputs(std::span<const DyclOutput> outputs, bool use_offers);
  Status execute();
  Status hand_over(std::size_t index, DyclOutput& output);
  Status hand_over_strings(OrtValue* value, DyclOutput& output);

  const OrtApi& api_;
  std::shared_ptr<const Executable> executable_;
  // These are kept between runs, so that a warmed-up run allocates nothing here.
  std::vector<Owned<OrtValue>> input_values_;
  std::vector<Owned<OrtValue>> output_values_;
  std::vector<const OrtValue*> raw_inputs_;
  std::vector<OrtValue*> raw_outputs_;
  std::vector<char> offered_;  // per output: it was bound to the caller's memory
};

}  // namespace dycl::onnxruntime
