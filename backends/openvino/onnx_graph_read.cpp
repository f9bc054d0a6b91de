// SPDX-License-Identifier: Apache-2.0
// Field numbers are those of onnx.proto, a public and frozen list.
#include <algorithm>
#include <cstring>

#include "common/wire.h"
#include "onnx_graph.h"

namespace dycl::openvino {
namespace {

using plugin::WireReader;

float float_of(std::string_view bytes) {
  float value = 0;
  if (bytes.size() == sizeof(value)) std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// A repeated integer field, packed or not.
bool read_integers(const WireReader& wire, std::vector<std::int64_t>& values) {
  if (wire.is_number()) {
    values.push_back(static_cast<std::int64_t>(wire.number()));
    return true;
  }
  std::string_view packed = wire.bytes();
  std::uint64_t value = 0;
  while (!packed.empty()) {
    if (!plugin::next_packed(packed, value)) return false;
    values.push_back(static_cast<std::int64_t>(value));
  }
  return true;
}

void read_floats(const WireReader& wire, std::vector<float>& values) {
  const std::string_view packed = wire.bytes();
  for (std::size_t at = 0; at + sizeof(float) <= packed.size(); at += sizeof(float))
    values.push_back(float_of(packed.substr(at, sizeof(float))));
}

void keep(const WireReader& wire, std::string& other) {
  if (wire.is_number()) plugin::append_number(other, wire.field(), wire.number());
  if (wire.is_bytes()) plugin::append_bytes(other, wire.field(), wire.bytes());
}

bool read_tensor(std::string_view bytes, Tensor& tensor) {
  WireReader wire(bytes);
  bool good = true;
  while (good && wire.next()) {
    switch (wire.field()) {
      case 1: good = read_integers(wire, tensor.dims); break;
      case 2: tensor.dtype = static_cast<std::int32_t>(wire.number()); break;
      case 4: read_floats(wire, tensor.floats); break;
      case 5:
      case 7:
      case 11: good = read_integers(wire, tensor.integers); break;
      case 8: tensor.name = wire.bytes(); break;
      case 9: tensor.raw = wire.bytes(); break;
      case 14: tensor.is_external = wire.number() == 1; break;
      default: keep(wire, tensor.other); break;
    }
  }
  return good && wire.ok();
}

bool read_attribute(std::string_view bytes, Attribute& attribute) {
  attribute.bytes = bytes;
  WireReader wire(bytes);
  bool good = true;
  while (good && wire.next()) {
    switch (wire.field()) {
      case 1: attribute.name = wire.bytes(); break;
      case 2: attribute.f = float_of(wire.bytes()); break;
      case 3: attribute.i = static_cast<std::int64_t>(wire.number()); break;
      case 4: attribute.s = wire.bytes(); break;
      case 5: {
        auto tensor = std::make_shared<Tensor>();
        good = wire.is_bytes() && read_tensor(wire.bytes(), *tensor);
        attribute.tensor = std::move(tensor);
        break;
      }
      case 8: good = read_integers(wire, attribute.ints); break;
      default: break;
    }
  }
  return good && wire.ok();
}

bool read_node(std::string_view bytes, Node& node) {
  WireReader wire(bytes);
  bool good = true;
  while (good && wire.next()) {
    if (!wire.is_bytes()) continue;
    switch (wire.field()) {
      case 1: node.inputs.emplace_back(wire.bytes()); break;
      case 2: node.outputs.emplace_back(wire.bytes()); break;
      case 3: node.name = wire.bytes(); break;
      case 4: node.op = wire.bytes(); break;
      case 5: good = read_attribute(wire.bytes(), node.attributes.emplace_back()); break;
      case 7: node.domain = wire.bytes() == "ai.onnx" ? std::string_view() : wire.bytes(); break;
      default: break;
    }
  }
  return good && wire.ok();
}

bool read_dim(std::string_view bytes, Port& port) {
  std::int64_t size = -1;
  std::string symbol;
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_number()) size = static_cast<std::int64_t>(wire.number());
    if (wire.field() == 2 && wire.is_bytes()) symbol = wire.bytes();
  }
  port.dims->push_back(size);
  port.symbols.push_back(std::move(symbol));
  return wire.ok();
}

bool read_shape(std::string_view bytes, Port& port) {
  port.dims.emplace();
  WireReader wire(bytes);
  while (wire.next())
    if (wire.field() == 1 && wire.is_bytes() && !read_dim(wire.bytes(), port)) return false;
  return wire.ok();
}

bool read_tensor_type(std::string_view bytes, Port& port) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_number()) port.dtype = static_cast<std::int32_t>(wire.number());
    if (wire.field() == 2 && wire.is_bytes() && !read_shape(wire.bytes(), port)) return false;
  }
  return wire.ok();
}

bool read_type(std::string_view bytes, Port& port) {
  WireReader wire(bytes);
  while (wire.next())
    if (wire.field() == 1 && wire.is_bytes() && !read_tensor_type(wire.bytes(), port)) return false;
  return wire.ok();
}

bool read_port(std::string_view bytes, Port& port) {
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_bytes()) port.name = wire.bytes();
    if (wire.field() == 2 && wire.is_bytes() && !read_type(wire.bytes(), port)) return false;
  }
  return wire.ok();
}

bool read_graph(std::string_view bytes, Model& model) {
  WireReader wire(bytes);
  bool good = true;
  while (good && wire.next()) {
    switch (wire.is_bytes() ? wire.field() : 0) {
      case 1: good = read_node(wire.bytes(), model.nodes.emplace_back()); break;
      case 5:
        good = read_tensor(wire.bytes(), *model.initializers.emplace_back(std::make_unique<Tensor>()));
        break;
      case 11: good = read_port(wire.bytes(), model.inputs.emplace_back()); break;
      case 12: good = read_port(wire.bytes(), model.outputs.emplace_back()); break;
      case 13: good = read_port(wire.bytes(), model.values.emplace_back()); break;
      default: keep(wire, model.other_graph_fields); break;
    }
  }
  return good && wire.ok();
}

// Only ONNX's own operators are trusted, so other imports have no use here and are dropped.
bool read_opset(std::string_view bytes, Model& model) {
  std::string_view domain;
  std::int64_t version = 0;
  WireReader wire(bytes);
  while (wire.next()) {
    if (wire.field() == 1 && wire.is_bytes()) domain = wire.bytes();
    if (wire.field() == 2 && wire.is_number()) version = static_cast<std::int64_t>(wire.number());
  }
  if (domain.empty() || domain == "ai.onnx") model.opset = version;
  return wire.ok();
}

}  // namespace

Result<Model> parse_model(std::string_view bytes) {
  Model model;
  WireReader wire(bytes);
  bool good = true;
  while (good && wire.next()) {
    if (wire.field() == 7 && wire.is_bytes()) {
      good = read_graph(wire.bytes(), model);
      continue;
    }
    if (wire.field() == 8 && wire.is_bytes())
      good = read_opset(wire.bytes(), model);
    else
      keep(wire, model.other_fields);
  }
  if (!good || !wire.ok())
    return fail(Blame::Internal, "openvino.bad_graph", "the graph is not an ONNX model");
  // Older models list initializers among the inputs too; they are not inputs of a call.
  std::erase_if(model.inputs, [&](const Port& input) {
    return std::ranges::any_of(model.initializers,
                               [&](const auto& tensor) { return tensor->name == input.name; });
  });
  return model;
}

}  // namespace dycl::openvino
