// SPDX-License-Identifier: Apache-2.0
// An ONNX model that can be changed and written back, without the protobuf library (see common/wire.h).
// Parts that are never looked at are carried along as the bytes they came in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace dycl::openvino {

using Dims = std::vector<std::int64_t>;  // -1: not known

struct Tensor {
  std::string name;
  std::int32_t dtype = 0;
  Dims dims;
  std::string raw;                     // little-endian elements, when they came so
  std::vector<std::int64_t> integers;  // elements of the typed fields for integers
  std::vector<float> floats;
  std::string other;  // further fields, as bytes
  bool is_external = false;
};

struct Attribute {
  std::string name;
  std::int64_t i = 0;
  float f = 0;
  std::string s;
  std::vector<std::int64_t> ints;
  std::shared_ptr<const Tensor> tensor;
  std::string bytes;  // the whole message; what is written back
};
Attribute int_valued(std::string name, std::int64_t value);
Attribute ints_valued(std::string name, const std::vector<std::int64_t>& values);

struct Node {
  std::string op;
  std::string domain;
  std::string name;
  std::vector<std::string> inputs;  // "": omitted
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;

  [[nodiscard]] const Attribute* find(std::string_view attribute) const;
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] float real(std::string_view attribute, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view otherwise) const;
  // Is the input there and not omitted?
  [[nodiscard]] bool has_input(std::size_t index) const;
  [[nodiscard]] bool has_output(std::size_t index) const;
};

struct Port {
  std::string name;
  std::int32_t dtype = 0;  // 0: not said
  std::optional<Dims> dims;
  std::vector<std::string> symbols;  // one for each dim; empty: none
};

struct Model {
  std::int64_t opset = 0;
  std::vector<Node> nodes;
  std::vector<std::unique_ptr<Tensor>> initializers;  // addresses stay while more are added
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Port> values;
  std::string other_graph_fields;
  std::string other_fields;
};

// The bytes have passed common/onnx_model.h's reader; damage is still an error, never a crash.
Result<Model> parse_model(std::string_view bytes);
std::string write_model(const Model& model);

// Elements of an integer or bool tensor; nullopt for other dtypes and external contents.
std::optional<std::vector<std::int64_t>> integer_elements(const Tensor& tensor);
std::optional<std::vector<float>> f32_elements(const Tensor& tensor);

}  // namespace dycl::openvino
