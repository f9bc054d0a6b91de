// SPDX-License-Identifier: Apache-2.0
#include "legalize/indices.h"

#include <cstring>
#include <optional>

#include "base/operator_traits.h"
#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

using Sizes = std::vector<std::int64_t>;

bool names_tuples(const OnnxOp& op) { return has_trait(op.name, Trait::NamesTuples); }

std::int64_t axis_of(const OnnxOp& op) { return attribute_or<std::int64_t>(op.attributes, "axis", 0); }

std::int64_t batch_of(const OnnxOp& op) { return attribute_or<std::int64_t>(op.attributes, "batch_dims", 0); }

// The first axis that is indexed, and how many are.
struct IndexedAxes {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

std::optional<IndexedAxes> indexed_axes(const OnnxOp& op, std::int64_t rank, const Writer& writer) {
  IndexedAxes axes{axis_of(op) < 0 ? axis_of(op) + rank : axis_of(op)};
  if (names_tuples(op)) {
    const auto& tuples = writer.type_of(op.inputs[1]).dims;
    if (!tuples || tuples->empty() || !tuples->back().is_static()) return std::nullopt;
    axes = {batch_of(op), tuples->back().constant};
  }
  if (axes.first < 0 || axes.count < 1 || axes.first + axes.count > rank) return std::nullopt;
  return axes;
}

// The sizes that are compared with indices, if all of them are known.
std::optional<Sizes> fixed_sizes(const OnnxOp& op, const Writer& writer) {
  const auto& data = writer.type_of(op.inputs[0]).dims;
  if (!data) return std::nullopt;
  const auto axes = indexed_axes(op, static_cast<std::int64_t>(data->size()), writer);
  if (!axes) return std::nullopt;
  Sizes sizes;
  for (std::int64_t axis = axes->first; axis < axes->first + axes->count; ++axis) {
    const Dim& dim = (*data)[static_cast<std::size_t>(axis)];
    if (!dim.is_static()) return std::nullopt;
    sizes.push_back(dim.constant);
  }
  return sizes;
}

ValueId axis_size(ValueId shape, std::int64_t axis, Writer& writer) {
  return writer.node("Gather", 1, {shape, writer.integer(DType::I64, axis)}, DType::I64,
                     {{"axis", std::int64_t{0}}});
}

// shape[batch_dims : batch_dims + last size of the indices]
ValueId tuple_sizes(const OnnxOp& op, ValueId shape, ValueId indices, Writer& writer) {
  const ValueId start = writer.integers({batch_of(op)});
  const ValueId index_shape = writer.node("Shape", 1, {indices}, DType::I64);
  const ValueId length =
      writer.node("Gather", 1, {index_shape, writer.integers({-1})}, DType::I64, {{"axis", std::int64_t{0}}});
  const ValueId end = writer.node("Add", 7, {start, length}, DType::I64);
  return writer.node("Slice", 10, {shape, start, end}, DType::I64);
}

// Of the rank of one index, so that comparisons have the shape of the indices.
ValueId known_sizes(const OnnxOp& op, const Sizes& sizes, Writer& writer) {
  return names_tuples(op) ? writer.integers(sizes) : writer.integer(DType::I64, sizes.front());
}

ValueId computed_sizes(const OnnxOp& op, ValueId indices, Writer& writer) {
  const ValueId shape = writer.node("Shape", 1, {op.inputs[0]}, DType::I64);
  return names_tuples(op) ? tuple_sizes(op, shape, indices, writer) : axis_size(shape, axis_of(op), writer);
}

// Indices that are constants lie tuple by tuple.
bool are_in_range(const TensorData* indices, const Sizes& sizes) {
  if (indices == nullptr || indices->dtype != DType::I64) return false;
  for (std::size_t place = 0; place * sizeof(std::int64_t) < indices->bytes.size(); ++place) {
    std::int64_t index = 0;
    std::memcpy(&index, indices->bytes.data() + place * sizeof index, sizeof index);
    const std::int64_t size = sizes[place % sizes.size()];
    if (index < -size || index >= size) return false;
  }
  return true;
}

// Bad is an index < -n or >= n. n is the size of the indexed axis or, for tuples, the sizes of the axes that
// they name. The check is read after the operator has run, which gets 0 in place of a bad index.
bool check_indices(const OnnxOp& op, Trait trait, Writer& writer) {
  if (!has_trait(op.name, trait) || op.inputs.size() < 2) return false;
  const std::optional<Sizes> fixed = fixed_sizes(op, writer);
  if (fixed && are_in_range(writer.constant(op.inputs[1]), *fixed)) return false;
  const DType dtype = writer.dtype_of(op.inputs[1]);
  const Attributes to_i64{{"to", static_cast<std::int64_t>(DType::I64)}};
  const ValueId index =
      dtype == DType::I64 ? op.inputs[1] : writer.node("Cast", 9, {op.inputs[1]}, DType::I64, to_i64);
  const ValueId size = fixed ? known_sizes(op, *fixed, writer) : computed_sizes(op, index, writer);
  const ValueId least = writer.node("Neg", 6, {size}, DType::I64);
  const ValueId below = writer.node("Less", 9, {index, least}, DType::Bool);
  const ValueId fits = writer.node("Less", 9, {index, size}, DType::Bool);
  const ValueId beyond = writer.node("Not", 1, {fits}, DType::Bool);
  const ValueId bad = writer.node("Or", 7, {below, beyond}, DType::Bool);
  writer.raise_if_any(bad, "IndexError", op.name + ": index out of range");
  OnnxOp safe = op;
  safe.inputs[1] = writer.node("Where", 9, {bad, writer.integer(dtype, 0), op.inputs[1]}, dtype);
  writer.write(safe);
  return true;
}

}  // namespace

bool check_gathered_indices(const OnnxOp& op, Writer& writer) {
  return check_indices(op, Trait::Gathers, writer);
}

bool check_scattered_indices(const OnnxOp& op, Writer& writer) {
  return check_indices(op, Trait::Scatters, writer);
}

}  // namespace dycl::legalize
