// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for tests, written the way one would draw them:
//
//   OnnxGraph graph("main");
//   graph.input("x", DType::F32, {1, "n"}).node("Relu", {"x"}, {"y"}).output("y", DType::F32, {1, "n"});
//   std::string bytes = model_bytes(graph);
#pragma once

#include <onnx_ml.pb.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/tensor_data.h"

namespace dycl::test {

// A size, a named size, or (OnnxDim::unknown()) neither.
struct OnnxDim {
  std::int64_t size = -1;
  std::string name;

  OnnxDim(int fixed) : size(fixed) {}            // NOLINT(google-explicit-constructor)
  OnnxDim(std::int64_t fixed) : size(fixed) {}   // NOLINT(google-explicit-constructor)
  OnnxDim(const char* symbol) : name(symbol) {}  // NOLINT(google-explicit-constructor)
  static OnnxDim unknown() { return OnnxDim(std::int64_t{-1}); }
};

class OnnxGraph;

// One attribute of a node: attribute("axis", 1), attribute("perm", {1, 0}), attribute("body", graph).
using OnnxAttribute = onnx::AttributeProto;
OnnxAttribute attribute(std::string_view name, int value);
OnnxAttribute attribute(std::string_view name, std::int64_t value);
OnnxAttribute attribute(std::string_view name, float value);
OnnxAttribute attribute(std::string_view name, const char* value);
OnnxAttribute attribute(std::string_view name, std::vector<std::int64_t> values);
OnnxAttribute attribute(std::string_view name, std::vector<float> values);
OnnxAttribute attribute(std::string_view name, const TensorData& value);
OnnxAttribute attribute(std::string_view name, const OnnxGraph& value);

onnx::TensorProto to_proto(std::string_view name, const TensorData& tensor);
onnx::TypeProto tensor_type(DType dtype, const std::vector<OnnxDim>& dims);
onnx::TypeProto unranked_type(DType dtype);
onnx::TypeProto sequence_type(const onnx::TypeProto& element);
onnx::TypeProto optional_type(const onnx::TypeProto& element);

class OnnxGraph {
 public:
  explicit OnnxGraph(std::string_view name = "main") { graph_.set_name(std::string(name)); }

  OnnxGraph& input(std::string_view name, DType dtype, const std::vector<OnnxDim>& dims);
  OnnxGraph& input(std::string_view name, const onnx::TypeProto& type);
  OnnxGraph& output(std::string_view name, DType dtype, const std::vector<OnnxDim>& dims);
  OnnxGraph& output(std::string_view name, const onnx::TypeProto& type);
  OnnxGraph& output(std::string_view name);  // no type at all: the reader has to infer it
  OnnxGraph& value(std::string_view name, const onnx::TypeProto& type);  // value_info
  // "" is an omitted input or output.
  OnnxGraph& node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                  const std::vector<OnnxAttribute>& attributes = {}, std::string_view domain = "");
  OnnxGraph& initializer(std::string_view name, const TensorData& tensor);
  // Declared with its type only; the contents are said to lie in `location` at `offset`.
  OnnxGraph& external_initializer(std::string_view name, const TensorData& tensor,
                                  std::string_view location = "weights", std::int64_t offset = 0);

  [[nodiscard]] const onnx::GraphProto& proto() const { return graph_; }
  onnx::GraphProto& proto() { return graph_; }  // for what the calls above cannot say

 private:
  onnx::GraphProto graph_;
};

struct OnnxModelOptions {
  std::int64_t opset = 21;
  std::int64_t ir_version = 10;
};
onnx::ModelProto make_model(const OnnxGraph& graph, OnnxModelOptions options = {});
std::string model_bytes(const OnnxGraph& graph, OnnxModelOptions options = {});

// A tensor from a list: tensor_of<float>(DType::F32, {2, 2}, {1, 2, 3, 4}); {} dims: a scalar.
template <class T>
TensorData tensor_of(DType dtype, std::vector<std::int64_t> dims, std::initializer_list<T> values) {
  return make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(values.begin(), values.size()));
}
TensorData f32(std::vector<std::int64_t> dims, std::initializer_list<float> values);
TensorData i64(std::vector<std::int64_t> dims, std::initializer_list<std::int64_t> values);
TensorData boolean(std::vector<std::int64_t> dims, std::initializer_list<std::uint8_t> values);

}  // namespace dycl::test
