// SPDX-License-Identifier: Apache-2.0
// Python's numbers in ONNX operators. Scalars are 0-d tensors of bool, i64 and f64. Where Python raises, or
// where the operators would not be exact, the file fails at run time instead of going on: `require`.
#pragma once

#include "base/host_op.h"
#include "export_onnx/node_writer.h"

namespace dycl::export_onnx {

class ScalarNodes {
 public:
  explicit ScalarNodes(NodeWriter& writer) : writer_(writer) {}
  using Name = const std::string&;

  // The scalar itself where `holds`; else its (not existing) second element is asked for, which fails.
  std::string require(Name scalar, Name holds);

  std::string cast(Name scalar, DType dtype);
  std::string select(Name condition, Name left, Name right, ScalarKind kind);

  // Ints. `checked`: the result may leave 64 bits.
  std::string int_arithmetic(HostOp op, Name left, Name right, bool checked);  // Add, Sub, Mul
  std::string int_division(HostOp op, Name left, Name right, bool checked);    // FloorDiv, Mod
  std::string int_true_division(Name left, Name right);
  std::string int_power(Name base, Name exponent);
  std::string int_shift(HostOp op, Name number, Name count);
  std::string not_smallest(Name number);  // which has no negative

  // Floats.
  std::string float_division(HostOp op, Name left, Name right);  // FloorDiv, Mod, TrueDiv
  std::string float_power(Name base, Name exponent);
  std::string to_int(Name number);  // truncates
  std::string is_finite(Name number);
  // The result of a function, if Python's math module would give it back.
  std::string math_result(Name result, Name operand);

  // Lt … Ne
  std::string compare(HostOp op, Name left, Name right);  // of one kind
  std::string compare_int_with_float(HostOp op, Name left, Name right);

 private:
  std::string node(const char* op, NodeWriter::Names inputs) { return writer_.node(op, std::move(inputs)); }
  std::string negation(Name truth) { return node("Not", {truth}); }
  std::string is_zero_int(Name number) { return node("Equal", {number, writer_.integer(0)}); }
  std::string is_negative(Name number) { return node("Less", {number, writer_.number(0)}); }
  std::string nonzero(Name number);
  std::string pick(Name condition, Name left, Name right);  // floats
  std::string modulo(Name left, Name right);
  std::string floor_quotient(Name left, Name right);

  NodeWriter& writer_;
};

}  // namespace dycl::export_onnx
