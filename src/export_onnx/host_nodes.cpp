// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/host_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/scalar_math.h"
#include "export_onnx/host_op_writer.h"

namespace dycl::export_onnx {
namespace {

std::string write_arithmetic(HostOpWriter& op) {
  const char* name = op.step.op == HostOp::Add ? "Add" : op.step.op == HostOp::Sub ? "Sub" : "Mul";
  if (op.is_float(0)) return op.nodes.node(name, {op.inputs[0], op.inputs[1]});
  return op.scalars.int_arithmetic(op.step.op, op.inputs[0], op.inputs[1], op.may_overflow());
}

// The graph knows the divisor, and it is neither 0 nor -1.
bool divides_plainly(const HostOpWriter& op) {
  const auto divisor = op.bits.constant(op.step.inputs[1]);
  return divisor && *divisor != 0 && *divisor != -1;
}

std::string write_division(HostOpWriter& op) {
  if (op.is_float(0)) return op.scalars.float_division(op.step.op, op.inputs[0], op.inputs[1]);
  if (op.step.op == HostOp::TrueDiv) return op.scalars.int_true_division(op.inputs[0], op.inputs[1]);
  return op.scalars.int_division(op.step.op, op.inputs[0], op.inputs[1], !divides_plainly(op));
}

std::string write_power(HostOpWriter& op) {
  if (op.is_float(0)) return op.scalars.float_power(op.inputs[0], op.inputs[1]);
  if (op.output_kind() == ScalarKind::I64) return op.scalars.int_power(op.inputs[0], op.inputs[1]);
  const std::string negative = op.nodes.node("Less", {op.inputs[1], op.nodes.integer(0)});
  const std::string exponent = op.scalars.cast(op.scalars.require(op.inputs[1], negative), DType::F64);
  return op.scalars.float_power(op.scalars.cast(op.inputs[0], DType::F64), exponent);
}

std::string write_sign(HostOpWriter& op) {
  const char* name = op.step.op == HostOp::Neg ? "Neg" : "Abs";
  const bool plain = op.is_float(0) || !op.may_overflow();
  return op.nodes.node(name, {plain ? op.inputs[0] : op.scalars.not_smallest(op.inputs[0])});
}

std::string write_invert(HostOpWriter& op) {
  return op.nodes.node("Sub", {op.nodes.integer(-1), op.inputs[0]});
}

std::string write_bits(HostOpWriter& op) {
  const bool truth = op.input_kind(0) == ScalarKind::Bool;
  const char* name = op.step.op == HostOp::BitAnd  ? (truth ? "And" : "BitwiseAnd")
                     : op.step.op == HostOp::BitOr ? (truth ? "Or" : "BitwiseOr")
                                                   : (truth ? "Xor" : "BitwiseXor");
  return op.nodes.node(name, {op.inputs[0], op.inputs[1]});
}

std::string write_shift(HostOpWriter& op) {
  return op.scalars.int_shift(op.step.op, op.inputs[0], op.inputs[1]);
}

// It counts the powers of two, and their negatives, that the integer reaches.
std::string write_bit_length(HostOpWriter& op) {
  const std::string integer =
      op.input_kind(0) == ScalarKind::Bool ? op.scalars.cast(op.inputs[0], DType::I64) : op.inputs[0];
  std::vector<std::int64_t> powers, negatives;
  for (int bit = 0; bit < 63; ++bit) powers.push_back(std::int64_t{1} << bit);
  for (const std::int64_t power : powers) negatives.push_back(-power);
  negatives.push_back(std::numeric_limits<std::int64_t>::min());
  const auto count_reached = [&](const char* falls_short, const std::vector<std::int64_t>& bounds) {
    const std::string short_of = op.nodes.node(falls_short, {integer, op.nodes.integers(bounds)});
    const std::string reached = op.scalars.cast(op.nodes.node("Not", {short_of}), DType::I64);
    return op.nodes.node("ReduceSum", {reached}, {{"keepdims", std::int64_t{0}}});
  };
  return op.nodes.node("Add", {count_reached("Less", powers), count_reached("Greater", negatives)});
}

HostOp mirrored(HostOp op) {
  switch (op) {
    case HostOp::Lt: return HostOp::Gt;
    case HostOp::Le: return HostOp::Ge;
    case HostOp::Gt: return HostOp::Lt;
    case HostOp::Ge: return HostOp::Le;
    default: return op;
  }
}

// A bool counts as an int.
std::string write_comparison(HostOpWriter& op) {
  std::array<std::string, 2> operands{op.inputs[0], op.inputs[1]};
  for (std::size_t index = 0; index < 2; ++index)
    if (op.input_kind(index) == ScalarKind::Bool)
      operands[index] = op.scalars.cast(operands[index], DType::I64);
  if (op.is_float(0) == op.is_float(1)) return op.scalars.compare(op.step.op, operands[0], operands[1]);
  if (op.is_float(1)) return op.scalars.compare_int_with_float(op.step.op, operands[0], operands[1]);
  return op.scalars.compare_int_with_float(mirrored(op.step.op), operands[1], operands[0]);
}

std::string write_logic(HostOpWriter& op) {
  if (op.step.op == HostOp::Not) return op.nodes.node("Not", {op.inputs[0]});
  return op.nodes.node(op.step.op == HostOp::And ? "And" : "Or", {op.inputs[0], op.inputs[1]});
}

std::string write_select(HostOpWriter& op) {
  return op.scalars.select(op.inputs[0], op.inputs[1], op.inputs[2], op.output_kind());
}

std::string write_rounding(HostOpWriter& op) {
  if (op.input_kind(0) == ScalarKind::Bool) return op.scalars.cast(op.inputs[0], DType::I64);
  if (!op.is_float(0)) return op.nodes.node("Identity", {op.inputs[0]});
  if (op.step.op == HostOp::Trunc) return op.scalars.to_int(op.inputs[0]);
  const char* name = op.step.op == HostOp::Floor ? "Floor" : op.step.op == HostOp::Ceil ? "Ceil" : "Round";
  return op.scalars.to_int(op.nodes.node(name, {op.inputs[0]}));
}

std::string write_conversion(HostOpWriter& op) {
  const ScalarKind from = op.input_kind(0);
  const ScalarKind to = op.output_kind();
  if (from == to) return op.nodes.node("Identity", {op.inputs[0]});
  if (from == ScalarKind::F64 && to == ScalarKind::I64) return op.scalars.to_int(op.inputs[0]);
  return op.scalars.cast(op.inputs[0], dtype_of(to));
}

std::string write_const(HostOpWriter& op) {
  if (op.output_kind() == ScalarKind::F64)
    return op.nodes.number(attribute_or(op.step.attributes, "value", 0.0));
  const auto value = attribute_or(op.step.attributes, "value", std::int64_t{0});
  return op.output_kind() == ScalarKind::Bool ? op.nodes.truth(value != 0) : op.nodes.integer(value);
}

// Functions that ONNX has too; they are checked as Python checks them.
struct MathOperator {
  MathFunction function;
  const char* name;
};
constexpr std::array kMathOperators{
    MathOperator{MathFunction::Sqrt, "Sqrt"}, MathOperator{MathFunction::Exp, "Exp"},
    MathOperator{MathFunction::Log, "Log"},   MathOperator{MathFunction::Sin, "Sin"},
    MathOperator{MathFunction::Cos, "Cos"},   MathOperator{MathFunction::Tanh, "Tanh"},
};

const char* math_operator(MathFunction function) {
  for (const MathOperator& row : kMathOperators)
    if (row.function == function) return row.name;
  return nullptr;
}

std::optional<MathFunction> function_of(const HostStep& step) {
  return math_function_from_name(attribute_or(step.attributes, "function", std::string()));
}

std::string write_math(HostOpWriter& op) {
  const std::string& x = op.inputs[0];
  const MathFunction function = function_of(op.step).value();
  switch (function) {
    case MathFunction::Fabs: return op.nodes.node("Abs", {x});
    case MathFunction::IsNan: return op.nodes.node("IsNaN", {x});
    case MathFunction::IsInf: return op.nodes.node("IsInf", {x});
    case MathFunction::IsFinite: return op.scalars.is_finite(x);
    case MathFunction::Degrees: return op.nodes.node("Mul", {x, op.nodes.number(180.0 / std::numbers::pi)});
    case MathFunction::Radians: return op.nodes.node("Mul", {x, op.nodes.number(std::numbers::pi / 180.0)});
    default: return op.scalars.math_result(op.nodes.node(math_operator(function), {x}), x);
  }
}

std::optional<std::string> math_obstacle(const HostStep& step) {
  std::string obstacle = fmt::format("math.{}", attribute_or(step.attributes, "function", std::string()));
  const std::optional<MathFunction> function = function_of(step);
  if (!function) return obstacle;  // a newer version's
  switch (*function) {
    case MathFunction::Fabs:
    case MathFunction::IsNan:
    case MathFunction::IsInf:
    case MathFunction::IsFinite:
    case MathFunction::Degrees:
    case MathFunction::Radians: return std::nullopt;
    default: break;
  }
  if (math_operator(*function) != nullptr && step.inputs.size() == 1) return std::nullopt;
  return obstacle;
}

struct ScalarRow {
  HostOp op;
  WriteHostOp write;
};
constexpr std::array kScalarRows{
    ScalarRow{HostOp::Add, write_arithmetic},
    ScalarRow{HostOp::Sub, write_arithmetic},
    ScalarRow{HostOp::Mul, write_arithmetic},
    ScalarRow{HostOp::FloorDiv, write_division},
    ScalarRow{HostOp::Mod, write_division},
    ScalarRow{HostOp::TrueDiv, write_division},
    ScalarRow{HostOp::Pow, write_power},
    ScalarRow{HostOp::Neg, write_sign},
    ScalarRow{HostOp::Abs, write_sign},
    ScalarRow{HostOp::Invert, write_invert},
    ScalarRow{HostOp::BitAnd, write_bits},
    ScalarRow{HostOp::BitOr, write_bits},
    ScalarRow{HostOp::BitXor, write_bits},
    ScalarRow{HostOp::Shl, write_shift},
    ScalarRow{HostOp::Shr, write_shift},
    ScalarRow{HostOp::Lt, write_comparison},
    ScalarRow{HostOp::Le, write_comparison},
    ScalarRow{HostOp::Gt, write_comparison},
    ScalarRow{HostOp::Ge, write_comparison},
    ScalarRow{HostOp::Eq, write_comparison},
    ScalarRow{HostOp::Ne, write_comparison},
    ScalarRow{HostOp::And, write_logic},
    ScalarRow{HostOp::Or, write_logic},
    ScalarRow{HostOp::Not, write_logic},
    ScalarRow{HostOp::Select, write_select},
    ScalarRow{HostOp::Round, write_rounding},
    ScalarRow{HostOp::Floor, write_rounding},
    ScalarRow{HostOp::Ceil, write_rounding},
    ScalarRow{HostOp::Trunc, write_rounding},
    ScalarRow{HostOp::Math, write_math},
    ScalarRow{HostOp::BitLength, write_bit_length},
    ScalarRow{HostOp::ToInt, write_conversion},
    ScalarRow{HostOp::ToFloat, write_conversion},
    ScalarRow{HostOp::ToBool, write_conversion},
    ScalarRow{HostOp::Const, write_const},
};

WriteHostOp writer_of(HostOp op) {
  const auto row = std::ranges::find(kScalarRows, op, &ScalarRow::op);
  return row == kScalarRows.end() ? structure_writer(op) : row->write;
}

}  // namespace

std::optional<std::string> host_op_obstacle(const Hcfg& graph, const HostStep& step) {
  if (step.op == HostOp::Write) return "a write to an input before an exception";
  if (writer_of(step.op) == nullptr) return fmt::format("the host operation {}", name_of(step.op));
  if (step.op == HostOp::Math) return math_obstacle(step);
  if (step.op == HostOp::Round && step.inputs.size() == 2) return "rounding to a number of decimal digits";
  return structure_obstacle(graph, step);
}

std::string HostNodes::write(const HostStep& step, const std::vector<std::string>& inputs) {
  HostOpWriter op{graph_, step, inputs, writer_, scalars_, bits_};
  if (const WriteHostOp write = writer_of(step.op)) return write(op);
  internal_error("a host operation without an ONNX form was not refused");
}

}  // namespace dycl::export_onnx
