// SPDX-License-Identifier: Apache-2.0
// A graph as this backend understands it: steps over numbered values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/dtype.h"
#include "base/result.h"
#include "base/tensor_data.h"
#include "onnx_wire/model.h"

namespace dycl::skeleton {

enum class Operator { Identity, Add, Less };

struct Step {
  Operator op = Operator::Identity;
  std::vector<std::size_t> inputs;
  std::size_t output = 0;
};

struct ValueType {
  DType dtype = DType::F32;
  std::optional<std::vector<onnx_wire::Size>> sizes;
};

struct Constant {
  std::size_t value = 0;
  DyclTensor tensor{};             // over the caller's weight, or over `data`
  std::optional<TensorData> data;  // an initializer that lies inside the graph
};

struct Program {
  std::vector<ValueType> values;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;
  std::vector<Constant> constants;
  std::vector<Step> steps;
};

// Reads a graph. Fails with Blame::Unsupported on what this backend refuses, with Blame::Usage on a malformed
// graph; `refused` then gets the node at which it failed.
Result<Program> read_program(const DyclGraph& graph, std::optional<std::size_t>* refused = nullptr);

}  // namespace dycl::skeleton
