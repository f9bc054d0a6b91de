// SPDX-License-Identifier: Apache-2.0
// The compiled ONNX messages would pull protobuf into the probe; the few fields that are needed are
// spelled in protobuf's wire format instead.
#include "backend/probe_graphs.h"

#include <initializer_list>
#include <string_view>

namespace dycl {
namespace {

constexpr unsigned bytes_kind = 2;

std::string field(unsigned number, std::string_view content) {
  std::string result;
  result.push_back(static_cast<char>((number << 3) | bytes_kind));
  for (std::size_t size = content.size();; size >>= 7) {
    result.push_back(static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0)));
    if (size < 0x80) break;
  }
  return result += content;
}

std::string number_field(unsigned number, unsigned value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

std::string port(std::string_view name, std::initializer_list<unsigned> dims) {
  std::string shape;
  for (const unsigned dim : dims) shape += field(1, number_field(1, dim));
  const std::string tensor = number_field(1, 1) + field(2, shape);  // elem_type 1: f32
  return field(1, name) + field(2, field(1, tensor));
}

std::string node(std::initializer_list<std::string_view> inputs, std::string_view output,
                 std::string_view op) {
  std::string result;
  for (const std::string_view input : inputs) result += field(1, input);
  return result + field(2, output) + field(4, op);
}

std::string model(const std::string& graph) {
  constexpr unsigned ir_version = 8;
  constexpr unsigned opset = 13;
  return number_field(1, ir_version) + field(7, graph + field(2, "probe")) + field(8, number_field(2, opset));
}

}  // namespace

std::string convolution_graph() {
  return model(field(1, node({"x", "w"}, "c", "Conv")) + field(1, node({"c"}, "y", "Relu")) +
               field(11, port("x", {1, 16, 16, 16})) + field(11, port("w", {16, 16, 3, 3})) +
               field(12, port("y", {1, 16, 14, 14})));
}

std::string product_graph() {
  return model(field(1, node({"a", "b"}, "y", "MatMul")) + field(11, port("a", {32, 64})) +
               field(11, port("b", {64, 32})) + field(12, port("y", {32, 32})));
}

}  // namespace dycl
