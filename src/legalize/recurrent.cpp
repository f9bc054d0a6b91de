// SPDX-License-Identifier: Apache-2.0
#include "legalize/recurrent.h"

#include <algorithm>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

constexpr std::size_t kLengths = 4;    // the operand with one length for each sample
constexpr std::size_t kPeepholes = 7;  // the operand behind the states, which are [directions, batch, hidden]

// Layout 1, with the batch first, is a form that PyTorch's layers never take.
bool may_run_on_nothing(const OnnxOp& op, const Writer& writer) {
  if (op.name != "LSTM" && op.name != "GRU") return false;
  if (attribute_or<std::int64_t>(op.attributes, "layout", 0) != 0) return false;
  const TensorType& x = writer.type_of(op.inputs[0]);
  const Dim* batch = x.dims ? &x.dims->at(1) : nullptr;
  return batch == nullptr || !batch->is_static() || batch->constant == 0;
}

// One more element of zeros behind those of the axis.
ValueId extend(ValueId value, std::size_t rank, std::size_t axis, Writer& writer) {
  std::vector<std::int64_t> pads(2 * rank, 0);
  pads[rank + axis] = 1;
  return writer.node("Pad", 11, {value, writer.integers(pads)}, writer.dtype_of(value));
}

}  // namespace

bool add_a_sample(const OnnxOp& op, Writer& writer) {
  if (!may_run_on_nothing(op, writer)) return false;
  const ValueId sizes = writer.node("Shape", 1, {op.inputs[0]}, DType::I64);
  const ValueId batch =
      writer.node("Slice", 10, {sizes, writer.integers({1}), writer.integers({2})}, DType::I64);
  OnnxOp longer = op;
  longer.inputs[0] = extend(op.inputs[0], 3, 1, writer);
  for (std::size_t place = kLengths; place < std::min(op.inputs.size(), kPeepholes); ++place)
    if (op.inputs[place].valid())
      longer.inputs[place] =
          place == kLengths ? extend(op.inputs[place], 1, 0, writer) : extend(op.inputs[place], 3, 1, writer);
  for (ValueId& output : longer.outputs)
    if (output.valid()) output = writer.fresh_of(writer.dtype_of(output), op.name);
  writer.write(longer);
  const ValueId zero = writer.integers({0});
  for (std::size_t place = 0; place < op.outputs.size(); ++place) {
    if (!op.outputs[place].valid()) continue;
    const ValueId axis = writer.integers({place == 0 ? 2 : 1});  // Y is [length, directions, batch, hidden]
    writer.keep(
        {"", "Slice", 10, {}, {longer.outputs[place], zero, batch, axis}, {op.outputs[place]}, op.source});
  }
  return true;
}

}  // namespace dycl::legalize
