// SPDX-License-Identifier: Apache-2.0
#include "package/graph_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/operator_traits.h"
#include "base/tensor_data.h"
#include "onnx_wire/fields.h"
#include "onnx_wire/read_model.h"
#include "onnx_wire/wire.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/limits.h"

namespace dycl {
namespace {

namespace field = onnx_wire::field;
using onnx_wire::has_field;

Failure bad_graph(std::string message) { return package_error("bad_graph", std::move(message)); }

class Outliner {
 public:
  explicit Outliner(const onnx_wire::Model& model) : model_(model) {}

  // Inputs and initializers define names before nodes are looked at.
  Result<GraphOutline> run() {
    for (const auto step : {&Outliner::check_model, &Outliner::add_inputs, &Outliner::add_initializers,
                            &Outliner::add_nodes, &Outliner::add_outputs})
      if (Status status = (this->*step)(); !status) return failure_of(std::move(status));
    return std::move(outline_);
  }

 private:
  Status check_model() {
    if (has_field(model_.other, field::kModelFunctions))
      return bad_graph("a sub-DNN's graph.onnx has model-local functions, where control flow could hide");
    if (has_field(model_.other, field::kModelTraining))
      return bad_graph("a sub-DNN's graph.onnx has training information");
    if (has_field(model_.other_of_graph, field::kGraphSparseInitializer))
      return bad_graph("a sub-DNN's graph.onnx has sparse weights");
    return {};
  }

  Status define(std::string_view name) {
    if (!defined_.insert(name).second)
      return bad_graph(fmt::format("the name '{}' is defined twice in a graph", shown(name)));
    return {};
  }

  Status add_inputs() {
    for (const onnx_wire::ValueInfo& input : model_.inputs) {
      if (Status status = add_port(input, outline_.inputs); !status) return status;
      if (Status status = define(input.name); !status) return status;
    }
    return {};
  }

  Status add_outputs() {
    for (const onnx_wire::ValueInfo& output : model_.outputs) {
      if (Status status = add_port(output, outline_.outputs); !status) return status;
      if (!defined_.contains(output.name))
        return bad_graph(fmt::format("the graph's output '{}' is computed by no node", shown(output.name)));
    }
    return {};
  }

  static Status add_port(const onnx_wire::ValueInfo& value, std::vector<GraphPort>& ports) {
    onnx_wire::WireReader type(value.other_of_type);
    for (onnx_wire::WireField part; type.next(part);)
      if (part.number != field::kTypeDenotation)
        return bad_graph("a sub-DNN's inputs and outputs must be tensors");
    ports.push_back({value.name, value.dtype});
    return {};
  }

  Status add_initializers() {
    for (const onnx_wire::Tensor& tensor : model_.initializers) {
      if (tensor.dims.size() > limits::kRank) return bad_graph("a weight of a graph has too many dims");
      if (Status status = check_place(tensor); !status) return status;
      if (Status status = define(tensor.name); !status) return status;
      if (tensor.is_external)
        outline_.weights.push_back({tensor.name, tensor.dtype, tensor.dims});
      else
        outline_.inline_bytes += std::min(held_bytes(tensor), declared_bytes(tensor));
    }
    return {};
  }

  // A backend must never open a file that a package names.
  static Status check_place(const onnx_wire::Tensor& tensor) {
    for (const onnx_wire::PlaceEntry& entry : tensor.place)
      if (entry.key != "location" || entry.value != "weights")
        return bad_graph(
            fmt::format("a graph's external data names {} '{}'", shown(entry.key), shown(entry.value)));
    if (tensor.is_external == tensor.place.empty())
      return bad_graph(fmt::format("the weight '{}' of a graph has no place", shown(tensor.name)));
    return {};
  }

  static std::size_t held_bytes(const onnx_wire::Tensor& tensor) {
    return tensor.raw.size() + tensor.integers.size() * sizeof(std::int64_t) +
           tensor.floats.size() * sizeof(float) + tensor.other.size();
  }

  // As declared, which no hostile graph gets more for than it holds.
  static std::size_t declared_bytes(const onnx_wire::Tensor& tensor) {
    const auto dtype = dtype_from_number(tensor.dtype);
    const auto count = element_count(tensor.dims);
    return dtype && count ? byte_size(*dtype, *count).value_or(0) : 0;
  }

  Status add_nodes() {
    for (const onnx_wire::Node& node : model_.nodes)
      if (Status status = add_node(node); !status) return status;
    return {};
  }

  Status add_node(const onnx_wire::Node& node) {
    if (has_trait(node.op, Trait::ControlFlow))
      return bad_graph(fmt::format("a sub-DNN contains the control-flow operator {}", node.op));
    for (const onnx_wire::Attribute& attribute : node.attributes)
      if (Status status = check_attribute(attribute); !status) return status;
    for (const std::string& input : node.inputs)
      if (!input.empty() && !defined_.contains(input))
        return bad_graph(fmt::format("a node of a graph uses '{}' before it is computed", shown(input)));
    for (const std::string& output : node.outputs)
      if (Status status = output.empty() ? Status() : define(output); !status) return status;
    return {};
  }

  static Status check_attribute(const onnx_wire::Attribute& attribute) {
    for (const std::uint32_t graph : {field::kAttributeGraph, field::kAttributeGraphs})
      if (has_field(attribute.bytes, graph))
        return bad_graph("a sub-DNN contains a subgraph, where control flow could hide");
    for (const std::uint32_t sparse : {field::kAttributeSparseTensor, field::kAttributeSparseTensors})
      if (has_field(attribute.bytes, sparse))
        return bad_graph("an attribute of a sub-DNN is a sparse tensor, which could name an external file");
    const bool names_a_file = (attribute.tensor != nullptr && is_outside(*attribute.tensor)) ||
                              std::ranges::any_of(attribute.tensors, is_outside);
    if (names_a_file) return bad_graph("an attribute of a sub-DNN names an external file");
    return {};
  }

  static bool is_outside(const onnx_wire::Tensor& tensor) {
    return tensor.is_external || !tensor.place.empty();
  }

  const onnx_wire::Model& model_;
  GraphOutline outline_;
  std::set<std::string_view> defined_;
};

}  // namespace

Result<GraphOutline> outline_graph(std::string_view onnx) {
  if (onnx.size() > limits::kGraphBytes) return bad_graph("a sub-DNN's graph.onnx is too large");
  const auto model = onnx_wire::read_model(onnx);
  if (!model) return bad_graph(fmt::format("a sub-DNN's graph.onnx is not an ONNX model: {}", model.error()));
  return Outliner(*model).run();
}

}  // namespace dycl
