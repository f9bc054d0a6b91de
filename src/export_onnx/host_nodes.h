// SPDX-License-Identifier: Apache-2.0
// One host operation as ONNX nodes, by a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "export_onnx/integer_bits.h"
#include "export_onnx/scalar_nodes.h"

namespace dycl::export_onnx {

// Why the operation has no exact form in ONNX, in a few words; nullopt when it has one.
std::optional<std::string> host_op_obstacle(const Hcfg& graph, const HostStep& step);

class HostNodes {
 public:
  HostNodes(const Hcfg& graph, const UseTable& uses, NodeWriter& writer)
      : graph_(graph), writer_(writer), scalars_(writer), bits_(graph, uses) {}

  // The name of the operation's result. The operation has no obstacle.
  std::string write(const HostStep& step, const std::vector<std::string>& inputs);

 private:
  const Hcfg& graph_;
  NodeWriter& writer_;
  ScalarNodes scalars_;
  IntegerBits bits_;
};

}  // namespace dycl::export_onnx
