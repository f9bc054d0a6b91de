// SPDX-License-Identifier: Apache-2.0
// The parts of an ONNX model that a plugin looks at. Texts are views into the bytes that were read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

struct OnnxAttribute {
  std::string_view name;
  std::int64_t integer = 0;
  std::string_view text;
};

struct OnnxNode {
  std::string_view op;
  std::string_view domain;  // empty for ONNX's own operators
  std::string_view name;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<OnnxAttribute> attributes;

  // The integer attribute of that name, or `otherwise`.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
};

struct OnnxSize {
  std::int64_t fixed = -1;  // -1: a symbol, or unknown when that is empty
  std::string_view symbol;
};

struct OnnxPort {
  std::string_view name;
  std::int32_t dtype = 0;  // 0: not a tensor, or not said
  std::optional<std::vector<OnnxSize>> sizes;
};

struct OnnxInitializer {
  std::string_view name;
  std::int32_t dtype = 0;
  std::vector<std::int64_t> dims;
  std::string_view raw;  // empty when the contents are external or in a typed field
  bool external = false;
};

struct OnnxModel {
  std::int64_t ir_version = 0;
  std::int64_t opset = 0;  // of ONNX's own operators; 0: not imported
  std::vector<OnnxNode> nodes;
  std::vector<OnnxNode> function_nodes;  // bodies of model-local functions, all together
  std::vector<OnnxInitializer> initializers;
  std::vector<OnnxPort> inputs;
  std::vector<OnnxPort> outputs;
};

// Fails on bytes that are not a model, on weights whose description is unsafe, and on control flow
// (If, Loop, Scan, SequenceMap), which no backend may be given.
Result<OnnxModel> read_model(const DyclGraph& graph);

}  // namespace dycl::plugin
