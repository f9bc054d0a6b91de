// SPDX-License-Identifier: Apache-2.0
#include "legalize/matmul.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/dtype.h"
#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

// The rank of a value; nullopt: not known.
std::optional<std::size_t> rank_of(ValueId value, const Writer& writer) {
  const TensorType& type = writer.type_of(value);
  return type.dims ? std::optional(type.dims->size()) : std::nullopt;
}

// Nothing is fused with a maximum of one operand, which is the operand.
ValueId hidden(ValueId value, Writer& writer) {
  return writer.node("Max", 8, {value}, writer.dtype_of(value));
}

bool is_positive(const Dim& size) {
  return size.constant > 0 &&
         std::ranges::all_of(size.terms, [](const auto& term) { return term.second > 0; });
}

// A matrix of a stack of them may have no row or no column.
bool may_be_empty(ValueId value, const Writer& writer) {
  const TensorType& type = writer.type_of(value);
  if (!type.dims) return true;
  const std::vector<Dim>& dims = *type.dims;
  return dims.size() > 2 && !(is_positive(dims[dims.size() - 1]) && is_positive(dims[dims.size() - 2]));
}

bool moves_first_axis(const OnnxOp& transpose) {
  const auto order = attribute_or<std::vector<std::int64_t>>(transpose.attributes, "perm", {});
  return order.empty() || order.front() != 0;
}

// Such a transposition makes the value, or is moved to it through other operators while fusing.
bool may_be_transposed(ValueId value, const Writer& writer) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    const OnnxOp* made_by = seen.insert(next).second ? writer.facts().producer(next) : nullptr;
    if (made_by == nullptr) continue;
    if (made_by->name == "Transpose" && moves_first_axis(*made_by)) return true;
    for (const ValueId input : made_by->inputs)
      if (input.valid()) open.push_back(input);
  }
  return false;
}

}  // namespace

bool multiply_columns(const OnnxOp& op, Writer& writer) {
  if (op.name != "MatMul" || !is_float(writer.dtype_of(op.outputs[0])) || rank_of(op.inputs[0], writer) == 1)
    return false;
  const std::optional<std::size_t> rank = rank_of(op.inputs[1], writer);
  if (rank && *rank != 1) return false;
  const DType dtype = writer.dtype_of(op.outputs[0]);
  OnnxOp product = op;
  if (!rank) {
    product.inputs[0] = hidden(op.inputs[0], writer);
    writer.write(product);
    return true;
  }
  product.inputs[1] = writer.node("Reshape", 5, {op.inputs[1], writer.integers({0, 1})}, dtype);
  product.outputs[0] = writer.fresh_of(dtype, "column");
  writer.write(product);
  writer.replace(op, "Gather", 1, {product.outputs[0], writer.integer(DType::I64, 0)},
                 {{"axis", std::int64_t{-1}}});
  return true;
}

bool keep_empty_apart(const OnnxOp& op, Writer& writer) {
  if (op.name != "MatMul" || !is_float(writer.dtype_of(op.outputs[0]))) return false;
  OnnxOp product = op;
  for (ValueId& operand : product.inputs)
    if (may_be_empty(operand, writer) && may_be_transposed(operand, writer))
      operand = hidden(operand, writer);
  if (product.inputs == op.inputs) return false;
  writer.write(product);
  return true;
}

}  // namespace dycl::legalize
