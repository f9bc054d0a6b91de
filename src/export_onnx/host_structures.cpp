// SPDX-License-Identifier: Apache-2.0
// Host operations on tensors' sizes, sequences and optionals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "export_onnx/host_op_writer.h"

namespace dycl::export_onnx {
namespace {

Attributes axis_of(const HostStep& step) {
  return {{"axis", attribute_or(step.attributes, "axis", std::int64_t{0})}};
}

std::string write_item(HostOpWriter& op) {
  const DType from = op.input_type(0).tensor()->dtype;
  const ScalarKind to = op.output_kind();
  const std::string element = op.nodes.node("Reshape", {op.inputs[0], op.nodes.integers({})});
  if (from == dtype_of(to)) return element;
  if (to != ScalarKind::I64 || from == DType::Bool || is_integer(from))
    return op.scalars.cast(element, dtype_of(to));
  return op.scalars.to_int(op.scalars.cast(element, DType::F64));
}

// A whole number that the element type may not hold.
std::string within_range(HostOpWriter& op, const std::string& number, DType dtype) {
  const bool is_unsigned = dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32;
  const auto width = static_cast<int>(bit_width(dtype));
  const std::int64_t largest = (std::int64_t{1} << (is_unsigned ? width : width - 1)) - 1;
  const std::int64_t smallest = is_unsigned ? 0 : -largest - 1;
  const std::string below = op.nodes.node("Less", {number, op.nodes.integer(smallest)});
  const std::string above = op.nodes.node("Greater", {number, op.nodes.integer(largest)});
  return op.scalars.require(number, op.nodes.node("Not", {op.nodes.node("Or", {below, above})}));
}

std::string write_to_tensor(HostOpWriter& op) {
  const DType dtype = op.output_type().tensor()->dtype;
  const ScalarKind from = op.input_kind(0);
  std::string scalar = op.inputs[0];
  if (is_integer(dtype) && from == ScalarKind::F64) scalar = op.scalars.to_int(scalar);
  if (is_integer(dtype) && dtype != DType::I64 && from != ScalarKind::Bool)
    scalar = within_range(op, scalar, dtype);
  if (dtype != dtype_of(from)) scalar = op.scalars.cast(scalar, dtype);
  const auto dims = attribute_or(op.step.attributes, "dims", std::vector<std::int64_t>{});
  return dims.empty() ? scalar : op.nodes.node("Reshape", {scalar, op.nodes.integers(dims)});
}

std::string write_dim(HostOpWriter& op) {
  const std::string axis = op.nodes.integer(std::get<std::int64_t>(op.step.attributes.at("axis")));
  return op.nodes.node("Gather", {op.nodes.node("Shape", {op.inputs[0]}), axis});
}

std::string write_numel(HostOpWriter& op) { return op.nodes.node("Size", {op.inputs[0]}); }

std::string write_view(HostOpWriter& op) {
  const auto& dims = std::get<std::vector<std::int64_t>>(op.step.attributes.at("dims"));
  return op.nodes.node("Reshape", {op.inputs[0], op.nodes.integers(dims)});
}

std::string write_row(HostOpWriter& op) { return op.nodes.node("Gather", {op.inputs[0], op.inputs[1]}); }

std::string write_seq_of(HostOpWriter& op) {
  if (op.inputs.empty()) return op.nodes.placeholder(op.output_type());
  return op.nodes.node("SequenceConstruct", op.inputs);
}

std::string write_by_name(HostOpWriter& op) {
  switch (op.step.op) {
    case HostOp::SeqInsert: return op.nodes.node("SequenceInsert", op.inputs);
    case HostOp::SeqErase: return op.nodes.node("SequenceErase", op.inputs);
    case HostOp::SeqAt: return op.nodes.node("SequenceAt", op.inputs);
    case HostOp::SeqLen: return op.nodes.node("SequenceLength", op.inputs);
    case HostOp::Some: return op.nodes.node("Optional", op.inputs);
    case HostOp::HasValue: return op.nodes.node("OptionalHasElement", op.inputs);
    case HostOp::Unwrap: return op.nodes.node("OptionalGetElement", op.inputs);
    default: internal_error("an operation was written by a name that it has not");
  }
}

std::string write_seq_split(HostOpWriter& op) {
  Attributes attributes = axis_of(op.step);
  if (op.inputs.size() == 1)
    attributes["keepdims"] = attribute_or(op.step.attributes, "keepdims", std::int64_t{1});
  return op.nodes.node("SplitToSequence", op.inputs, attributes);
}

// Sizes of the result for an empty sequence, where they are known.
std::optional<std::vector<std::int64_t>> dims_of_nothing(const HostOpWriter& op) {
  const auto given = attribute_or<std::vector<std::int64_t>>(op.step.attributes, "dims", {});
  if (!given.empty()) return given;
  const TensorType& type = *op.output_type().tensor();
  if (!type.dims) return std::nullopt;
  auto axis = attribute_or(op.step.attributes, "axis", std::int64_t{0});
  if (axis < 0) axis += std::ssize(*type.dims);
  std::vector<std::int64_t> dims;
  for (std::size_t index = 0; index < type.dims->size(); ++index) {
    const Dim& dim = (*type.dims)[index];
    const bool is_axis = static_cast<std::int64_t>(index) == axis;
    if (!is_axis && !dim.is_static()) return std::nullopt;
    dims.push_back(is_axis ? 0 : dim.constant);
  }
  return dims;
}

TensorData tensor_without_elements(DType dtype, std::vector<std::int64_t> dims) {
  return dtype == DType::String ? make_string_tensor(std::move(dims), {})
                                : make_tensor(dtype, std::move(dims), {});
}

// ONNX does not join nothing; then a constant is the answer, or (sizes not known) the file fails.
std::string write_seq_concat(HostOpWriter& op) {
  Attributes attributes = axis_of(op.step);
  attributes["new_axis"] = attribute_or(op.step.attributes, "new_axis", std::int64_t{0});
  const auto dims = dims_of_nothing(op);
  if (!dims) return op.nodes.node("ConcatFromSequence", op.inputs, attributes);
  const std::string length = op.nodes.node("SequenceLength", op.inputs);
  const std::string some = op.nodes.node("Greater", {length, op.nodes.integer(0)});
  Subgraph joined;
  op.nodes.open(joined);
  op.nodes.add_output(op.nodes.node("ConcatFromSequence", op.inputs, attributes), op.output_type());
  op.nodes.close();
  Subgraph nothing;
  op.nodes.open(nothing);
  op.nodes.add_output(op.nodes.constant(tensor_without_elements(op.output_type().tensor()->dtype, *dims)),
                      op.output_type());
  op.nodes.close();
  return op.nodes.if_node(some, std::move(joined), std::move(nothing)).front();
}

struct StructureRow {
  HostOp op;
  WriteHostOp write;
};
constexpr std::array kStructureRows{
    StructureRow{HostOp::Item, write_item},
    StructureRow{HostOp::ToTensor, write_to_tensor},
    StructureRow{HostOp::Dim, write_dim},
    StructureRow{HostOp::Numel, write_numel},
    StructureRow{HostOp::View, write_view},
    StructureRow{HostOp::Row, write_row},
    StructureRow{HostOp::SeqEmpty, write_seq_of},
    StructureRow{HostOp::SeqOf, write_seq_of},
    StructureRow{HostOp::SeqInsert, write_by_name},
    StructureRow{HostOp::SeqErase, write_by_name},
    StructureRow{HostOp::SeqAt, write_by_name},
    StructureRow{HostOp::SeqLen, write_by_name},
    StructureRow{HostOp::SeqConcat, write_seq_concat},
    StructureRow{HostOp::SeqSplit, write_seq_split},
    StructureRow{HostOp::Some, write_by_name},
    StructureRow{HostOp::None, write_seq_of},
    StructureRow{HostOp::HasValue, write_by_name},
    StructureRow{HostOp::Unwrap, write_by_name},
};

bool reads_exactly(DType dtype) {
  return dtype == DType::Bool || dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 ||
         dtype == DType::F64 || (is_integer(dtype) && dtype != DType::U64 && bit_width(dtype) >= 8);
}

}  // namespace

WriteHostOp structure_writer(HostOp op) {
  const auto* row = std::ranges::find(kStructureRows, op, &StructureRow::op);
  return row == kStructureRows.end() ? nullptr : row->write;
}

std::optional<std::string> structure_obstacle(const Hcfg& graph, const HostStep& step) {
  if (step.op == HostOp::Item) {
    const DType dtype = graph.type_of(step.inputs[0]).tensor()->dtype;
    if (!reads_exactly(dtype)) return fmt::format("reading an element of type {}", name_of(dtype));
  }
  if (step.op == HostOp::ToTensor) {
    const DType dtype = graph.type_of(step.outputs[0]).tensor()->dtype;
    const bool half = dtype == DType::F16 || dtype == DType::BF16;  // runtimes round twice on the way
    if (!reads_exactly(dtype) || (half && graph.type_of(step.inputs[0]).scalar()->kind != ScalarKind::Bool))
      return fmt::format("a number as an element of type {}", name_of(dtype));
  }
  return std::nullopt;
}

}  // namespace dycl::export_onnx
