// SPDX-License-Identifier: Apache-2.0
// Field numbers are those of onnx.proto, a public and frozen list.
#include "common/onnx_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/operator_traits.h"
#include "common/tensors.h"
#include "common/wire.h"

namespace dycl::plugin {
namespace {

bool read_attribute(std::string_view bytes, OnnxAttribute& attribute) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_bytes()) attribute.name = wire.bytes();
    if (wire.field() == 3 && wire.is_number()) attribute.integer = static_cast<std::int64_t>(wire.number());
    if (wire.field() == 4 && wire.is_bytes()) attribute.text = wire.bytes();
  }
  return wire.ok();
}

bool read_node(std::string_view bytes, OnnxNode& node) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (!wire.is_bytes()) continue;
    switch (wire.field()) {
      case 1: node.inputs.push_back(wire.bytes()); break;
      case 2: node.outputs.push_back(wire.bytes()); break;
      case 3: node.name = wire.bytes(); break;
      case 4: node.op = wire.bytes(); break;
      case 5:
        if (!read_attribute(wire.bytes(), node.attributes.emplace_back())) return false;
        break;
      case 7: node.domain = wire.bytes() == "ai.onnx" ? std::string_view() : wire.bytes(); break;
      default: break;
    }
  }
  return wire.ok();
}

bool read_size(std::string_view bytes, OnnxSize& size) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_number()) size.fixed = static_cast<std::int64_t>(wire.number());
    if (wire.field() == 2 && wire.is_bytes()) size.symbol = wire.bytes();
  }
  return wire.ok();
}

bool read_shape(std::string_view bytes, std::vector<OnnxSize>& sizes) {
  WireReader wire(bytes);
  while (wire.next())
    if (wire.field() == 1 && wire.is_bytes() && !read_size(wire.bytes(), sizes.emplace_back())) return false;
  return wire.ok();
}

bool read_tensor_type(std::string_view bytes, OnnxPort& port) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_number()) port.dtype = static_cast<std::int32_t>(wire.number());
    if (wire.field() == 2 && wire.is_bytes() && !read_shape(wire.bytes(), port.sizes.emplace())) return false;
  }
  return wire.ok();
}

bool read_type(std::string_view bytes, OnnxPort& port) {
  WireReader wire(bytes);
  while (wire.next())
    if (wire.field() == 1 && wire.is_bytes() && !read_tensor_type(wire.bytes(), port)) return false;
  return wire.ok();
}

bool read_port(std::string_view bytes, OnnxPort& port) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_bytes()) port.name = wire.bytes();
    if (wire.field() == 2 && wire.is_bytes() && !read_type(wire.bytes(), port)) return false;
  }
  return wire.ok();
}

bool read_dims(const WireReader& wire, std::vector<std::int64_t>& dims) {
  if (wire.is_number()) {
    dims.push_back(static_cast<std::int64_t>(wire.number()));
    return true;
  }
  std::string_view packed = wire.bytes();
  std::uint64_t value = 0;
  while (next_packed(packed, value)) dims.push_back(static_cast<std::int64_t>(value));
  return packed.empty();
}

bool read_initializer(std::string_view bytes, OnnxInitializer& tensor) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && !read_dims(wire, tensor.dims)) return false;
    if (wire.field() == 2 && wire.is_number()) tensor.dtype = static_cast<std::int32_t>(wire.number());
    if (wire.field() == 8 && wire.is_bytes()) tensor.name = wire.bytes();
    if (wire.field() == 9 && wire.is_bytes()) tensor.raw = wire.bytes();
    if (wire.field() == 14 && wire.is_number()) tensor.external = wire.number() == 1;
  }
  return wire.ok();
}

bool read_graph(std::string_view bytes, OnnxModel& model) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (!wire.is_bytes()) continue;
    bool fine = true;
    switch (wire.field()) {
      case 1: fine = read_node(wire.bytes(), model.nodes.emplace_back()); break;
      case 5: fine = read_initializer(wire.bytes(), model.initializers.emplace_back()); break;
      case 11: fine = read_port(wire.bytes(), model.inputs.emplace_back()); break;
      case 12: fine = read_port(wire.bytes(), model.outputs.emplace_back()); break;
      default: break;
    }
    if (!fine) return false;
  }
  return wire.ok();
}

bool read_opset(std::string_view bytes, OnnxModel& model) {
  WireReader wire(bytes);
  std::string_view domain;
  std::int64_t version = 0;
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_bytes()) domain = wire.bytes();
    if (wire.field() == 2 && wire.is_number()) version = static_cast<std::int64_t>(wire.number());
  }
  if (domain.empty() || domain == "ai.onnx") model.opset = version;
  return wire.ok();
}

bool read_function(std::string_view bytes, OnnxModel& model) {
  WireReader wire(bytes);
  while (wire.next())
    if (wire.field() == 7 && wire.is_bytes() && !read_node(wire.bytes(), model.function_nodes.emplace_back()))
      return false;
  return wire.ok();
}

bool read_fields(std::string_view bytes, OnnxModel& model, bool& has_graph) {
  WireReader wire(bytes);
  while (wire.next()) {
    bool fine = true;
    if (wire.field() == 1 && wire.is_number()) model.ir_version = static_cast<std::int64_t>(wire.number());
    if (!wire.is_bytes()) continue;
    if (wire.field() == 7) {
      has_graph = true;
      fine = read_graph(wire.bytes(), model);
    }
    if (wire.field() == 8) fine = read_opset(wire.bytes(), model);
    if (wire.field() == 25) fine = read_function(wire.bytes(), model);
    if (!fine) return false;
  }
  return wire.ok();
}

Status refuse_control_flow(const std::vector<OnnxNode>& nodes) {
  for (const OnnxNode& node : nodes)
    if (node.domain.empty() && has_trait(node.op, Trait::ControlFlow))
      return fail(Blame::Internal, "backend.control_flow",
                  fmt::format("a sub-DNN contains {}, which no backend may be given", node.op));
  return {};
}

Status check_weights(const DyclGraph& graph) {
  for (std::size_t index = 0; index < graph.weight_count; ++index) {
    if (graph.weight_names[index] == nullptr)
      return fail(Blame::Usage, "backend.bad_tensor", fmt::format("weight {} has no name", index));
    const Status safe =
        check_tensor(graph.weights[index], fmt::format("weight '{}'", graph.weight_names[index]));
    if (!safe) return safe;
  }
  return {};
}

// Every external initializer must be given, with the type that the graph declares: a vendor library
// would otherwise go and look for a file.
Status check_external(const OnnxModel& model, const DyclGraph& graph) {
  for (const OnnxInitializer& wanted : model.initializers) {
    if (!wanted.external) continue;
    std::size_t index = 0;
    while (index < graph.weight_count && wanted.name != graph.weight_names[index]) ++index;
    if (index == graph.weight_count)
      return fail(Blame::Usage, "backend.missing_weight",
                  fmt::format("weight '{}' was not given", wanted.name));
    const DyclTensor& given = graph.weights[index];
    if (given.dtype != wanted.dtype || !std::ranges::equal(dims_of(given), wanted.dims))
      return fail(Blame::Usage, "backend.wrong_weight",
                  fmt::format("weight '{}' is {}, the graph declares {}", wanted.name,
                              describe_tensor(given.dtype, dims_of(given)),
                              describe_tensor(wanted.dtype, wanted.dims)));
  }
  return {};
}

}  // namespace

std::int64_t OnnxNode::integer(std::string_view wanted, std::int64_t otherwise) const {
  const auto found = std::ranges::find(attributes, wanted, &OnnxAttribute::name);
  return found == attributes.end() ? otherwise : found->integer;
}

Result<OnnxModel> read_model(const DyclGraph& graph) {
  OnnxModel model;
  bool has_graph = false;
  const std::string_view bytes(static_cast<const char*>(graph.onnx.data), graph.onnx.size);
  if (bytes.empty() || !read_fields(bytes, model, has_graph))
    return fail(Blame::Usage, "backend.bad_graph", "the graph is not an ONNX model");
  if (!has_graph) return fail(Blame::Usage, "backend.bad_graph", "the ONNX model has no graph");
  if (Status safe = check_weights(graph); !safe) return failure_of(std::move(safe));
  if (Status given = check_external(model, graph); !given) return failure_of(std::move(given));
  if (Status plain = refuse_control_flow(model.nodes); !plain) return failure_of(std::move(plain));
  if (Status plain = refuse_control_flow(model.function_nodes); !plain) return failure_of(std::move(plain));
  return model;
}

}  // namespace dycl::plugin
