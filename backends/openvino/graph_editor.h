// SPDX-License-Identifier: Apache-2.0
// Rewrites an ONNX graph node by node, with the facts that are known about every value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "onnx_wire/model.h"

namespace dycl::openvino {

using onnx_wire::Attribute;
using onnx_wire::int_valued;
using onnx_wire::ints_valued;
using onnx_wire::Model;
using onnx_wire::Node;
using onnx_wire::Tensor;
using onnx_wire::ValueInfo;

using Dims = std::vector<std::int64_t>;  // -1: not known

struct ValueFacts {
  std::optional<DType> dtype;
  std::optional<Dims> dims;          // nullopt: the rank is not known
  const Tensor* constant = nullptr;  // its contents, when they are in the graph
  std::string producer;              // operator; empty for inputs and initializers
};

bool is_surely_not_empty(const ValueFacts& facts);

// Collects facts about every value of the graph: declared types and constants.
class GraphFacts {
 public:
  explicit GraphFacts(const Model& model);
  [[nodiscard]] const ValueFacts& of(const std::string& value) const;
  [[nodiscard]] std::optional<DType> dtype(const std::string& value) const { return of(value).dtype; }
  [[nodiscard]] bool has_value_beginning_with(const std::string& prefix) const;

 private:
  void add_declared(const ValueInfo& value);
  void add_node(const Node& node);
  // Returns the tensor of a Constant node, whatever attribute it is written in; null for another node.
  const Tensor* constant_of(const Node& node);
  std::map<std::string, ValueFacts> facts_;
  std::vector<std::unique_ptr<Tensor>> made_;  // for constants written as numbers
  ValueFacts unknown_;
};

class GraphEditor {
 public:
  // New values are named from `prefix`, which no value of the graph begins with.
  GraphEditor(const GraphFacts& facts, std::int64_t opset, std::string prefix, Model& target)
      : facts_(&facts), opset_(opset), prefix_(std::move(prefix)), target_(&target) {}

  [[nodiscard]] const GraphFacts& facts() const { return *facts_; }
  [[nodiscard]] std::int64_t opset() const { return opset_; }

  // Adds a node with one output and returns the output's name.
  std::string add(const std::string& op, std::initializer_list<std::string> inputs);
  std::string cast(const std::string& value, DType to);
  // Adds a reduction over the given axes, or over all if there are none, in the form of the model's opset.
  std::string reduce(const std::string& op, const std::string& value, const std::vector<std::int64_t>& axes,
                     bool keepdims);
  std::string fresh_name();
  void append(Node node);
  // Adds the node with a new name for its first output, and returns that name.
  std::string append_renamed(Node node);
  // Lets the node that was added last write `name` instead of its own output.
  void name_last_output(const std::string& name);

  // Adds a constant of any numeric dtype that holds one number (a scalar) or a list.
  std::string scalar(DType dtype, double value);
  std::string list(std::vector<std::int64_t> values);

 private:
  const GraphFacts* facts_;
  std::int64_t opset_;
  std::string prefix_;
  Model* target_;
  std::size_t next_ = 0;
};

}  // namespace dycl::openvino
