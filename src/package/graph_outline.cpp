// SPDX-License-Identifier: Apache-2.0
#include "package/graph_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/operator_traits.h"
#include "base/tensor_data.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/limits.h"
#include "package/wire_reader.h"

namespace dycl {
namespace {

// Field numbers of onnx.proto, a public and frozen list.
namespace field {
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kModelTraining = 20;
constexpr std::uint32_t kModelFunctions = 25;
constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kGraphInitializer = 5;
constexpr std::uint32_t kGraphInput = 11;
constexpr std::uint32_t kGraphOutput = 12;
constexpr std::uint32_t kGraphSparseInitializer = 15;
constexpr std::uint32_t kNodeInput = 1;
constexpr std::uint32_t kNodeOutput = 2;
constexpr std::uint32_t kNodeOpType = 4;
constexpr std::uint32_t kNodeAttribute = 5;
constexpr std::uint32_t kAttributeTensor = 5;
constexpr std::uint32_t kAttributeGraph = 6;
constexpr std::uint32_t kAttributeTensors = 10;
constexpr std::uint32_t kAttributeGraphs = 11;
constexpr std::uint32_t kTensorDims = 1;
constexpr std::uint32_t kTensorType = 2;
constexpr std::uint32_t kTensorName = 8;
constexpr std::uint32_t kTensorExternalData = 13;
constexpr std::uint32_t kTensorDataLocation = 14;
constexpr std::uint32_t kValueName = 1;
constexpr std::uint32_t kValueType = 2;
constexpr std::uint32_t kTypeTensor = 1;
constexpr std::uint32_t kTypeDenotation = 6;
constexpr std::uint32_t kTensorTypeElement = 1;
constexpr std::uint32_t kEntryKey = 1;
constexpr std::uint32_t kEntryValue = 2;
}  // namespace field

constexpr std::uint64_t kExternal = 1;

Failure bad_graph(std::string message) { return package_error("bad_graph", std::move(message)); }

Failure damaged() { return bad_graph("a sub-DNN's graph.onnx is not an ONNX model"); }

bool is_text(const WireField& part, std::uint32_t number) { return part.is(number, WireKind::Bytes); }
bool is_number(const WireField& part, std::uint32_t number) { return part.is(number, WireKind::Varint); }

// Calls `visit(field)` for each field until it fails.
template <class Function>
Status each_field(std::string_view message, Function visit) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field))
    if (Status status = visit(field); !status) return status;
  if (reader.damaged()) return damaged();
  return {};
}

class Outliner {
 public:
  Result<GraphOutline> run(std::string_view onnx) {
    std::vector<std::string_view> graphs;
    Status status = each_field(onnx, [&](const WireField& part) -> Status {
      if (part.number == field::kModelFunctions)
        return bad_graph("a sub-DNN's graph.onnx has model-local functions, where control flow could hide");
      if (part.number == field::kModelTraining)
        return bad_graph("a sub-DNN's graph.onnx has training information");
      if (is_text(part, field::kModelGraph)) graphs.push_back(part.bytes);
      return {};
    });
    if (status && graphs.size() != 1) status = damaged();
    if (status) status = read_graph(graphs[0]);
    if (!status) return failure_of(std::move(status));
    return std::move(outline_);
  }

 private:
  // Fields come in any order: inputs and initializers define names before nodes are looked at.
  Status read_graph(std::string_view graph) {
    Status status = each_field(graph, [&](const WireField& part) { return read_definition(part); });
    if (!status) return status;
    status = each_field(graph, [&](const WireField& part) -> Status {
      return is_text(part, field::kGraphNode) ? read_node(part.bytes) : Status();
    });
    if (!status) return status;
    for (const GraphPort& output : outline_.outputs)
      if (!defined_.contains(output.name))
        return bad_graph(fmt::format("the graph's output '{}' is computed by no node", shown(output.name)));
    return {};
  }

  Status read_definition(const WireField& part) {
    if (is_text(part, field::kGraphInput)) return read_input(part.bytes);
    if (is_text(part, field::kGraphOutput)) return read_port(part.bytes, outline_.outputs);
    if (is_text(part, field::kGraphInitializer)) return read_initializer(part.bytes);
    if (part.number == field::kGraphSparseInitializer)
      return bad_graph("a sub-DNN's graph.onnx has sparse weights");
    return {};
  }

  Status define(std::string_view name) {
    if (!defined_.emplace(name).second)
      return bad_graph(fmt::format("the name '{}' is defined twice in a graph", shown(name)));
    return {};
  }

  Status read_input(std::string_view message) {
    if (Status status = read_port(message, outline_.inputs); !status) return status;
    return define(outline_.inputs.back().name);
  }

  static Status read_port(std::string_view message, std::vector<GraphPort>& ports) {
    GraphPort port;
    Status status = each_field(message, [&](const WireField& part) -> Status {
      if (is_text(part, field::kValueName)) port.name = part.bytes;
      return is_text(part, field::kValueType) ? read_type(part.bytes, port.dtype) : Status();
    });
    ports.push_back(std::move(port));
    return status;
  }

  static Status read_type(std::string_view message, std::int64_t& dtype) {
    return each_field(message, [&](const WireField& part) -> Status {
      if (part.number == field::kTypeDenotation) return {};
      if (part.number != field::kTypeTensor)
        return bad_graph("a sub-DNN's inputs and outputs must be tensors");
      return each_field(part.bytes, [&](const WireField& inner) -> Status {
        if (is_number(inner, field::kTensorTypeElement)) dtype = static_cast<std::int64_t>(inner.value);
        return {};
      });
    });
  }

  static Status read_dims(const WireField& part, std::vector<std::int64_t>& dims) {
    if (part.kind == WireKind::Varint) {
      dims.push_back(static_cast<std::int64_t>(part.value));
    } else {
      WireReader packed(part.bytes);
      for (std::uint64_t dim = 0; packed.next_varint(dim);) dims.push_back(static_cast<std::int64_t>(dim));
      if (packed.damaged()) return damaged();
    }
    if (dims.size() > limits::kRank) return bad_graph("a weight of a graph has too many dims");
    return {};
  }

  Status read_initializer(std::string_view message) {
    GraphWeight weight;
    bool external = false;
    bool has_location = false;
    Status status = each_field(message, [&](const WireField& part) -> Status {
      if (is_text(part, field::kTensorName)) weight.name = part.bytes;
      if (is_number(part, field::kTensorType)) weight.dtype = static_cast<std::int64_t>(part.value);
      if (is_number(part, field::kTensorDataLocation)) external = part.value == kExternal;
      if (part.number == field::kTensorDims) return read_dims(part, weight.dims);
      if (!is_text(part, field::kTensorExternalData)) return {};
      has_location = true;
      return check_location(part.bytes);
    });
    if (!status) return status;
    if (external != has_location)
      return bad_graph(fmt::format("the weight '{}' of a graph has no place", shown(weight.name)));
    if (Status defined = define(weight.name); !defined) return defined;
    if (external)
      outline_.weights.push_back(std::move(weight));
    else
      outline_.inline_bytes += std::min(message.size(), byte_size_of(weight));
    return {};
  }

  // As declared, which no hostile graph gets more for than it holds.
  static std::size_t byte_size_of(const GraphWeight& weight) {
    const auto dtype = dtype_from_number(weight.dtype);
    const auto count = element_count(weight.dims);
    return dtype && count ? byte_size(*dtype, *count).value_or(0) : 0;
  }

  // A backend must never open a file that a package names.
  static Status check_location(std::string_view message) {
    std::string_view key;
    std::string_view value;
    Status status = each_field(message, [&](const WireField& part) -> Status {
      if (is_text(part, field::kEntryKey)) key = part.bytes;
      if (is_text(part, field::kEntryValue)) value = part.bytes;
      return {};
    });
    if (status && (key != "location" || value != "weights"))
      return bad_graph(fmt::format("a graph's external data names {} '{}'", shown(key), shown(value)));
    return status;
  }

  Status read_node(std::string_view message) {
    std::string_view op;
    std::vector<std::string_view> outputs;
    Status status = each_field(message, [&](const WireField& part) -> Status {
      if (is_text(part, field::kNodeOpType)) op = part.bytes;
      if (is_text(part, field::kNodeOutput) && !part.bytes.empty()) outputs.push_back(part.bytes);
      if (is_text(part, field::kNodeAttribute)) return check_attribute(part.bytes);
      if (is_text(part, field::kNodeInput) && !part.bytes.empty() && !defined_.contains(part.bytes))
        return bad_graph(fmt::format("a node of a graph uses '{}' before it is computed", shown(part.bytes)));
      return {};
    });
    if (!status) return status;
    if (has_trait(op, Trait::ControlFlow))
      return bad_graph(fmt::format("a sub-DNN contains the control-flow operator {}", op));
    for (const std::string_view output : outputs)
      if (Status defined = define(output); !defined) return defined;
    return {};
  }

  static Status check_attribute(std::string_view message) {
    return each_field(message, [](const WireField& part) -> Status {
      if (part.number == field::kAttributeGraph || part.number == field::kAttributeGraphs)
        return bad_graph("a sub-DNN contains a subgraph, where control flow could hide");
      if (!is_text(part, field::kAttributeTensor) && !is_text(part, field::kAttributeTensors)) return {};
      return each_field(part.bytes, [](const WireField& inner) -> Status {
        if (inner.number == field::kTensorExternalData || is_external(inner))
          return bad_graph("an attribute of a sub-DNN names an external file");
        return {};
      });
    });
  }

  static bool is_external(const WireField& part) {
    return is_number(part, field::kTensorDataLocation) && part.value == kExternal;
  }

  GraphOutline outline_;
  std::set<std::string, std::less<>> defined_;
};

}  // namespace

Result<GraphOutline> outline_graph(std::string_view onnx) {
  if (onnx.size() > limits::kGraphBytes) return bad_graph("a sub-DNN's graph.onnx is too large");
  return Outliner().run(onnx);
}

}  // namespace dycl
