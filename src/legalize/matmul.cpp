// SPDX-License-Identifier: Apache-2.0
#include "legalize/matmul.h"

#include <optional>

#include "base/dtype.h"
#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

// The rank of a value; nullopt: not known.
std::optional<std::size_t> rank_of(ValueId value, const Writer& writer) {
  const TensorType& type = writer.type_of(value);
  return type.dims ? std::optional(type.dims->size()) : std::nullopt;
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
    product.inputs[0] = writer.node("Max", 8, {op.inputs[0]}, dtype);
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

}  // namespace dycl::legalize
