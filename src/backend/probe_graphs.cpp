// SPDX-License-Identifier: Apache-2.0
#include "backend/probe_graphs.h"

#include <initializer_list>

#include "base/dtype.h"
#include "onnx_wire/write_model.h"

namespace dycl {
namespace {

using onnx_wire::Node;
using onnx_wire::Size;
using onnx_wire::ValueInfo;

ValueInfo port(std::string name, std::initializer_list<std::int64_t> dims) {
  std::vector<Size> sizes;
  for (const std::int64_t dim : dims) sizes.push_back({.fixed = dim});
  return {.name = std::move(name), .dtype = static_cast<std::int32_t>(DType::F32), .sizes = std::move(sizes)};
}

Node node(std::string op, std::vector<std::string> inputs, std::string output) {
  Node result;
  result.op = std::move(op);
  result.inputs = std::move(inputs);
  result.outputs = {std::move(output)};
  return result;
}

std::string bytes_of(std::vector<Node> nodes, std::vector<ValueInfo> inputs, ValueInfo output) {
  onnx_wire::Model model;
  model.ir_version = 8;
  model.opset = 13;
  model.graph_name = "probe";
  model.nodes = std::move(nodes);
  model.inputs = std::move(inputs);
  model.outputs = {std::move(output)};
  return onnx_wire::write_model(model);
}

}  // namespace

std::string convolution_graph() {
  return bytes_of({node("Conv", {"x", "w"}, "c"), node("Relu", {"c"}, "y")},
                  {port("x", {1, 16, 16, 16}), port("w", {16, 16, 3, 3})}, port("y", {1, 16, 14, 14}));
}

std::string product_graph() {
  return bytes_of({node("MatMul", {"a", "b"}, "y")}, {port("a", {32, 64}), port("b", {64, 32})},
                  port("y", {32, 32}));
}

}  // namespace dycl
