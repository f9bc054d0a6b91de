// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/node_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "subnet/to_onnx.h"

namespace dycl::export_onnx {
namespace {

constexpr std::size_t kSharedBytes = 256;  // constants up to this size are compared

struct OperatorNeed {
  std::string_view op;
  std::int64_t opset;
};

// Operators of host operations that are younger than the oldest operator set written here.
constexpr std::array kNeeds{
    OperatorNeed{"Round", 11},
    OperatorNeed{"GreaterOrEqual", 12},
    OperatorNeed{"LessOrEqual", 12},
    OperatorNeed{"BitwiseAnd", 18},
    OperatorNeed{"BitwiseOr", 18},
    OperatorNeed{"BitwiseXor", 18},
    OperatorNeed{"Optional", 15},
    OperatorNeed{"OptionalHasElement", 15},
    OperatorNeed{"OptionalGetElement", 15},
};

template <class T>
std::string scalar_constant(NodeWriter& writer, DType dtype, T value) {
  return writer.constant(make_tensor_of<T>(dtype, {}, std::span<const T>(&value, 1)));
}

void set_tensor(onnx::TypeProto& proto, const TensorType& type, const NodeWriter::SymbolName* symbols) {
  onnx::TypeProto_Tensor& tensor = *proto.mutable_tensor_type();
  tensor.set_elem_type(static_cast<std::int32_t>(type.dtype));
  if (symbols == nullptr || !type.dims) return;
  onnx::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const Dim& dim : *type.dims) {
    onnx::TensorShapeProto_Dimension& size = *shape.add_dim();
    const std::optional<SymbolId> symbol = dim.as_symbol();
    if (dim.is_static())
      size.set_dim_value(dim.constant);
    else if (std::string name; symbol && *symbols && !(name = (*symbols)(*symbol)).empty())
      size.set_dim_param(name);
  }
}

void set_type(onnx::TypeProto& proto, const Type& type, const NodeWriter::SymbolName* symbols) {
  if (const TensorType* tensor = type.tensor()) return set_tensor(proto, *tensor, symbols);
  if (const ScalarType* scalar = type.scalar())
    return set_tensor(proto, {dtype_of(scalar->kind), std::vector<Dim>{}, {}}, symbols);
  if (const SeqType* seq = type.seq())
    return set_type(*proto.mutable_sequence_type()->mutable_elem_type(), *seq->element, symbols);
  if (const OptionalType* optional = type.optional())
    return set_type(*proto.mutable_optional_type()->mutable_elem_type(), *optional->element, symbols);
  internal_error("a string has no ONNX type and was not refused");
}

TensorData empty_tensor(const TensorType& type) {
  const std::vector<std::int64_t> dims(type.dims ? type.dims->size() : 1, 0);
  if (type.dtype == DType::String) {
    const std::string nothing;
    return make_string_tensor(dims, std::span(&nothing, dims.empty() ? 1 : 0));
  }
  return make_tensor(type.dtype, dims, std::vector<std::byte>(dims.empty() ? *byte_size(type.dtype, 1) : 0));
}

}  // namespace

DType dtype_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return DType::Bool;
    case ScalarKind::I64: return DType::I64;
    case ScalarKind::F64: return DType::F64;
  }
  return DType::F64;
}

onnx::TypeProto type_proto(const Type& type, const NodeWriter::SymbolName& symbols) {
  onnx::TypeProto proto;
  set_type(proto, type, &symbols);
  return proto;
}

onnx::TypeProto element_type_proto(const Type& type) {
  onnx::TypeProto proto;
  set_type(proto, type, nullptr);
  return proto;
}

std::string NodeWriter::fresh(std::string_view hint) {
  const std::string base(hint.empty() ? "v" : hint);
  std::string name = base;
  for (std::size_t& next = next_suffix_[base]; !taken_.insert(name).second; ++next)
    name = fmt::format("{}_{}", base, next);
  return name;
}

onnx::NodeProto& NodeWriter::add_node(const std::string& op, Names inputs, const Names& outputs) {
  onnx::NodeProto& proto = *current().graph.add_node();
  proto.set_op_type(op);
  for (std::string& name : inputs) proto.add_input(std::move(name));
  for (const std::string& name : outputs) {
    proto.add_output(name);
    current().defined.insert(name);
  }
  return proto;
}

std::string NodeWriter::node(const char* op, Names inputs, const Attributes& attributes) {
  if (const auto* need = std::ranges::find(kNeeds, std::string_view(op), &OperatorNeed::op);
      need != kNeeds.end())
    need_opset(need->opset);
  std::string output = fresh("t");
  onnx::NodeProto& proto = add_node(op, std::move(inputs), {output});
  for (const auto& [name, attribute] : attributes) *proto.add_attribute() = subnet::to_onnx(attribute, name);
  return output;
}

std::string NodeWriter::constant(const TensorData& tensor, std::string_view hint) {
  const auto add = [&] {
    std::string name = fresh(hint);
    *main_.graph.add_initializer() = subnet::to_onnx(tensor, name);
    return name;
  };
  if (tensor.bytes.size() > kSharedBytes) return add();
  std::string key = fmt::format("{}[", name_of(tensor.dtype));
  for (const std::int64_t size : tensor.dims) key += fmt::format("{},", size);
  key.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  const auto [known, added] = constants_.try_emplace(std::move(key));
  if (added) known->second = add();
  return known->second;
}

std::string NodeWriter::integer(std::int64_t value) { return scalar_constant(*this, DType::I64, value); }
std::string NodeWriter::number(double value) { return scalar_constant(*this, DType::F64, value); }
std::string NodeWriter::truth(bool value) {
  return scalar_constant(*this, DType::Bool, static_cast<std::uint8_t>(value));
}
std::string NodeWriter::integers(const std::vector<std::int64_t>& values) {
  return constant(make_tensor_of<std::int64_t>(DType::I64, {std::ssize(values)}, values));
}

std::string NodeWriter::placeholder(const Type& type) {
  if (const TensorType* tensor = type.tensor()) return constant(empty_tensor(*tensor));
  if (const ScalarType* scalar = type.scalar())
    return constant(empty_tensor({dtype_of(scalar->kind), std::vector<Dim>{}, {}}));
  if (const SeqType* seq = type.seq()) {
    const ScalarType* scalar = seq->element->scalar();
    const DType dtype = scalar != nullptr ? dtype_of(scalar->kind) : seq->element->tensor()->dtype;
    return node("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(dtype)}});
  }
  const std::string none = node("Optional", {});
  onnx::AttributeProto& attribute = *current().graph.mutable_node()->rbegin()->add_attribute();
  attribute.set_name("type");
  attribute.set_type(onnx::AttributeProto::TYPE_PROTO);
  *attribute.mutable_tp() = element_type_proto(*type.optional()->element);
  return none;
}

namespace {

void add_graph(onnx::NodeProto& node, const char* name, onnx::GraphProto graph) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  graph.set_name(name);
  *attribute.mutable_g() = std::move(graph);
}

}  // namespace

NodeWriter::Names NodeWriter::if_node(const std::string& condition, Subgraph then_branch,
                                      Subgraph else_branch) {
  Names outputs;
  for (int index = 0; index < then_branch.graph.output_size(); ++index) outputs.push_back(fresh("t"));
  onnx::NodeProto& node = add_node("If", {condition}, outputs);
  add_graph(node, "then_branch", std::move(then_branch.graph));
  add_graph(node, "else_branch", std::move(else_branch.graph));
  return outputs;
}

NodeWriter::Names NodeWriter::loop_node(const std::string& condition, Names carried, Subgraph body) {
  Names outputs;
  for (std::size_t index = 0; index < carried.size(); ++index) outputs.push_back(fresh("t"));
  carried.insert(carried.begin(), {std::string(), condition});
  add_graph(add_node("Loop", std::move(carried), outputs), "body", std::move(body.graph));
  return outputs;
}

void NodeWriter::add_output(const std::string& name, const Type& type) {
  const auto& outputs = current().graph.output();
  const bool taken = std::ranges::find(outputs, name, &onnx::ValueInfoProto::name) != outputs.end();
  std::string own = name;
  if (taken || !current().defined.contains(name)) own = node("Identity", {name});
  if (type.seq() != nullptr) need_opset(14);
  if (type.optional() != nullptr) need_opset(16);
  onnx::ValueInfoProto& output = *current().graph.add_output();
  output.set_name(own);
  *output.mutable_type() = element_type_proto(type);
}

}  // namespace dycl::export_onnx
