// SPDX-License-Identifier: Apache-2.0
// What the writers of single host operations share.
#pragma once

#include "export_onnx/host_nodes.h"

namespace dycl::export_onnx {

// One operation being written.
struct HostOpWriter {
  const Hcfg& graph;
  const HostStep& step;
  const std::vector<std::string>& inputs;
  NodeWriter& nodes;
  ScalarNodes& scalars;
  IntegerBits& bits;

  [[nodiscard]] const Type& input_type(std::size_t index) const { return graph.type_of(step.inputs[index]); }
  [[nodiscard]] const Type& output_type() const { return graph.type_of(step.outputs[0]); }
  [[nodiscard]] ScalarKind input_kind(std::size_t index) const { return input_type(index).scalar()->kind; }
  [[nodiscard]] ScalarKind output_kind() const { return output_type().scalar()->kind; }
  [[nodiscard]] bool is_float(std::size_t index) const { return input_kind(index) == ScalarKind::F64; }
  // May the result leave 64 bits?
  [[nodiscard]] bool may_overflow() const { return bits.bits(step.outputs[0]) > 62; }
};

using WriteHostOp = std::string (*)(HostOpWriter&);

// Operations on sequences, optionals and tensors' sizes (host_structures.cpp); nullptr for others.
WriteHostOp structure_writer(HostOp op);
std::optional<std::string> structure_obstacle(const Hcfg& graph, const HostStep& step);

}  // namespace dycl::export_onnx
