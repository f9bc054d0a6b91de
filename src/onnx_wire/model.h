// SPDX-License-Identifier: Apache-2.0
// An ONNX model that can be read, changed and written back. Fields that nobody reads are kept as the bytes
// that they came in.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx_wire/tensor.h"

namespace dycl::onnx_wire {

// An attribute is replaced, never changed, because its members repeat what its bytes say.
struct Attribute {
  std::string name;
  std::int64_t i = 0;
  float f = 0;
  std::string s;
  std::vector<std::int64_t> ints;
  std::shared_ptr<const Tensor> tensor;
  std::vector<Tensor> tensors;
  std::string bytes;  // the whole message; what is written back
};
Attribute int_valued(std::string name, std::int64_t value);
Attribute ints_valued(std::string name, const std::vector<std::int64_t>& values);

struct Node {
  std::string op;
  std::string domain;  // empty for ONNX's own operators
  std::string name;
  std::vector<std::string> inputs;  // "": omitted
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  std::string other = {};  // further fields, as bytes

  [[nodiscard]] const Attribute* find(std::string_view attribute) const;
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] float real(std::string_view attribute, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view otherwise) const;
  // Says whether the node has this input and does not omit it.
  [[nodiscard]] bool has_input(std::size_t index) const;
  [[nodiscard]] bool has_output(std::size_t index) const;
};

struct Size {
  std::int64_t fixed = -1;  // -1: a symbol, or unknown when that is empty
  std::string symbol = {};
  std::string other = {};  // further fields, as bytes
};

// What the model says about a value: an input, an output or an inner one.
struct ValueInfo {
  std::string name;
  std::int32_t dtype = 0;                       // 0: not a tensor, or not said
  std::optional<std::vector<Size>> sizes = {};  // nullopt: the rank is not said
  std::string other_of_type = {};               // further fields of its type, as bytes
  std::string other = {};                       // further fields, as bytes
};

struct Model {
  std::int64_t ir_version = 0;
  std::int64_t opset = 0;  // of ONNX's own operators; 0 if the model does not import them
  std::string graph_name;
  std::vector<Node> nodes;
  std::deque<Tensor> initializers;  // their addresses stay while more are added
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> values;
  std::string other_of_graph;  // further fields of the graph, as bytes
  std::string other;           // further fields, as bytes; imports of other operators are among them
};

// Returns the initializer of this name, or null.
const Tensor* find_initializer(const Model& model, std::string_view name);

// Returns the element type that the model states for a value, whatever the value is; 0 if it states none.
std::int32_t declared_dtype(const Model& model, std::string_view name);

}  // namespace dycl::onnx_wire
