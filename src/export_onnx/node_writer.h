// SPDX-License-Identifier: Apache-2.0
// ONNX nodes one by one, into the main graph or into the subgraph that is open. Names are unique in the
// whole model, since a subgraph sees the names of the graphs around it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/attribute.h"
#include "base/type.h"
#include "onnx_ml.pb.h"

namespace dycl::export_onnx {

struct Subgraph {
  onnx::GraphProto graph;
  std::unordered_set<std::string> defined = {};  // names that its nodes give
};

class NodeWriter {
 public:
  using Names = std::vector<std::string>;
  using SymbolName = std::function<std::string(SymbolId)>;  // an empty name: the size is left open

  void reserve(const std::string& name) { taken_.insert(name); }
  std::string fresh(std::string_view hint);

  // A node with one output, whose name is the answer.
  std::string node(const char* op, Names inputs, const Attributes& attributes = {});
  onnx::NodeProto& add_node(const std::string& op, Names inputs, const Names& outputs);

  // Constants are initializers of the main graph; small ones of equal contents are one.
  std::string constant(const TensorData& tensor, std::string_view hint = "k");
  std::string integer(std::int64_t value);  // 0-d
  std::string number(double value);         // 0-d f64
  std::string truth(bool value);            // 0-d
  std::string integers(const std::vector<std::int64_t>& values);

  // What stands where no path needs a value: of the right type, and empty.
  std::string placeholder(const Type& type);

  // Nodes go into `subgraph` until it is closed; it may be opened again.
  void open(Subgraph& subgraph) { open_.push_back(&subgraph); }
  void close() { open_.pop_back(); }
  // An output of the graph that is open: always the result of a node of its own.
  void add_output(const std::string& name, const Type& type);

  // The names of its results: one per output of the subgraphs.
  Names if_node(const std::string& condition, Subgraph then_branch, Subgraph else_branch);
  Names loop_node(const std::string& condition, Names carried, Subgraph body);

  Subgraph& main() { return main_; }
  // The operator set that all nodes need at least.
  [[nodiscard]] std::int64_t needed_opset() const { return needed_opset_; }
  void need_opset(std::int64_t opset) { needed_opset_ = std::max(needed_opset_, opset); }

 private:
  Subgraph& current() { return open_.empty() ? main_ : *open_.back(); }

  Subgraph main_;
  std::vector<Subgraph*> open_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_suffix_;
  std::map<std::string, std::string> constants_;  // by type, sizes and bytes
  std::int64_t needed_opset_ = 11;
};

// Scalars are 0-d tensors. With `sizes` of `symbols`; without symbols only the sizes that are numbers.
onnx::TypeProto type_proto(const Type& type, const NodeWriter::SymbolName& symbols = {});
onnx::TypeProto element_type_proto(const Type& type);  // the same, and nothing about sizes

DType dtype_of(ScalarKind kind);

}  // namespace dycl::export_onnx
