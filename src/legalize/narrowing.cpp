// SPDX-License-Identifier: Apache-2.0
#include "legalize/narrowing.h"

#include "legalize/writer.h"

namespace dycl::legalize {

bool keep_narrowing_apart(const OnnxOp& op, Writer& writer) {
  if (op.name != "Cast" || !is_integer(writer.dtype_of(op.outputs[0]))) return false;
  const ValueId wide = op.inputs[0];
  if (writer.dtype_of(wide) != DType::I64 || writer.dtype_of(op.outputs[0]) == DType::I64) return false;
  if (writer.facts().producer(wide) == nullptr) return false;  // it comes from outside: nothing to join
  OnnxOp apart = op;
  apart.inputs[0] = writer.node("Max", 13, {wide, wide}, DType::I64);
  writer.write(apart);
  return true;
}

}  // namespace dycl::legalize
