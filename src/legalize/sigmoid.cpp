// SPDX-License-Identifier: Apache-2.0
#include "legalize/sigmoid.h"

#include <algorithm>

#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

bool is_sigmoid(const OnnxOp* op) { return op != nullptr && op->name == "Sigmoid"; }

bool is_silu(const OnnxOp& op, const OnnxOp& sigmoid) {
  const ValueId x = sigmoid.inputs[0];
  const ValueId share = sigmoid.outputs[0];
  return op.domain.empty() && op.name == "Mul" &&
         ((op.inputs[0] == share && op.inputs[1] == x) || (op.inputs[0] == x && op.inputs[1] == share));
}

// Is it computed in the operand's own type, and does nothing read it but x * sigmoid(x)? Then its value is
// never needed: 1 + exp(-x) takes its place, by which x is divided.
bool is_of_silus_alone(const OnnxOp& sigmoid, const Writer& writer) {
  const DType dtype = writer.dtype_of(sigmoid.inputs[0]);
  const SubnetFacts& facts = writer.facts();
  return (dtype == DType::F32 || dtype == DType::F64) && !facts.leaves(sigmoid.outputs[0]) &&
         std::ranges::all_of(facts.readers(sigmoid.outputs[0]),
                             [&](const OnnxOp* reader) { return is_silu(*reader, sigmoid); });
}

bool divide_silu(const OnnxOp& op, Writer& writer) {
  for (std::size_t place = 0; place < 2; ++place) {
    const OnnxOp* sigmoid = writer.facts().producer(op.inputs[place]);
    if (!is_sigmoid(sigmoid) || !is_of_silus_alone(*sigmoid, writer)) continue;
    writer.replace(op, "Div", 14, {op.inputs[1 - place], op.inputs[place]});
    return true;
  }
  return false;
}

}  // namespace

bool write_out_sigmoid(const OnnxOp& op, Writer& writer) {
  if (op.name == "Mul") return divide_silu(op, writer);
  if (op.name != "Sigmoid") return false;
  const DType dtype = writer.dtype_of(op.inputs[0]);
  const DType wide = dtype == DType::F64 ? DType::F64 : DType::F32;
  const ValueId x = dtype == wide ? op.inputs[0] : writer.cast(op.inputs[0], wide);
  const ValueId power = writer.node("Exp", 13, {writer.node("Neg", 13, {x}, wide)}, wide);
  const ValueId one = writer.number(wide, 1);
  if (is_of_silus_alone(op, writer)) {
    writer.replace(op, "Add", 14, {power, one});
    return true;
  }
  const ValueId below = writer.node("Add", 14, {power, one}, wide);
  if (dtype == wide) {
    writer.replace(op, "Reciprocal", 13, {below});
    return true;
  }
  writer.replace(op, "Cast", 13, {writer.node("Reciprocal", 13, {below}, wide)},
                 {{"to", static_cast<std::int64_t>(dtype)}});
  return true;
}

}  // namespace dycl::legalize
