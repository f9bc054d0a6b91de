// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/scalar_nodes.h"

#include <limits>

namespace dycl::export_onnx {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kBelowTwoTo63 = 9223372036854774784.0;  // the largest double that is
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

Attributes to(DType dtype) { return {{"to", static_cast<std::int64_t>(dtype)}}; }

}  // namespace

std::string ScalarNodes::cast(Name scalar, DType dtype) { return writer_.node("Cast", {scalar}, to(dtype)); }

std::string ScalarNodes::require(Name scalar, Name holds) {
  const std::string index = cast(negation(holds), DType::I64);
  return node("Gather", {node("Reshape", {scalar, writer_.integers({1})}), index});
}

// Where would do, but runtimes lose the sign of a zero in it.
std::string ScalarNodes::pick(Name condition, Name left, Name right) {
  const std::string shape = writer_.integers({1});
  const std::string both =
      writer_.node("Concat", {node("Reshape", {right, shape}), node("Reshape", {left, shape})},
                   {{"axis", std::int64_t{0}}});
  return node("Gather", {both, cast(condition, DType::I64)});
}

std::string ScalarNodes::select(Name condition, Name left, Name right, ScalarKind kind) {
  if (kind == ScalarKind::F64) return pick(condition, left, right);
  if (kind == ScalarKind::I64) return node("Where", {condition, left, right});
  return node("Or", {node("And", {condition, left}), node("And", {negation(condition), right})});
}

std::string ScalarNodes::int_arithmetic(HostOp op, Name left, Name right, bool checked) {
  const char* name = op == HostOp::Add ? "Add" : op == HostOp::Sub ? "Sub" : "Mul";
  const std::string result = node(name, {left, right});
  if (!checked) return result;
  if (op == HostOp::Mul) {
    const std::string rough = node("Mul", {cast(left, DType::F64), cast(right, DType::F64)});
    return require(result, node("Less", {node("Abs", {rough}), writer_.number(kBelowTwoTo63)}));
  }
  // Integers wrap: a sum is smaller than its first part exactly when the second is negative.
  const std::string falls = op == HostOp::Add ? node("Less", {right, writer_.integer(0)})
                                              : node("Greater", {right, writer_.integer(0)});
  return require(result, negation(node("Xor", {node("Less", {result, left}), falls})));
}

std::string ScalarNodes::int_division(HostOp op, Name left, Name right, bool checked) {
  std::string divisor = right;
  if (checked && op == HostOp::Mod) {  // nothing is left of a division by 1 or -1, which overflows
    const std::string whole =
        node("Where", {node("Equal", {right, writer_.integer(-1)}), writer_.integer(1), right});
    divisor = require(whole, negation(is_zero_int(right)));
  } else if (checked) {
    const std::string overflows = node("And", {node("Equal", {left, writer_.integer(kSmallest)}),
                                               node("Equal", {right, writer_.integer(-1)})});
    divisor = require(right, negation(node("Or", {is_zero_int(right), overflows})));
  }
  const std::string remainder = node("Mod", {left, divisor});
  if (op == HostOp::Mod) return remainder;
  const std::string signs =
      node("Xor", {node("Less", {left, writer_.integer(0)}), node("Less", {divisor, writer_.integer(0)})});
  const std::string down = node("And", {negation(is_zero_int(remainder)), signs});
  return node("Sub", {node("Div", {left, divisor}), cast(down, DType::I64)});
}

// Rounded once as long as both are exact as floats.
std::string ScalarNodes::int_true_division(Name left, Name right) {
  const std::string dividend = cast(left, DType::F64);
  const std::string divisor = cast(right, DType::F64);
  const auto is_exact = [&](Name number) {
    return node("Less", {node("Abs", {number}), writer_.number(kExactIntegers)});
  };
  const std::string good =
      node("And", {negation(is_zero_int(right)), node("And", {is_exact(dividend), is_exact(divisor)})});
  return node("Div", {require(dividend, good), divisor});
}

std::string ScalarNodes::int_power(Name base, Name exponent) {
  const std::string power = float_power(cast(base, DType::F64), cast(exponent, DType::F64));
  const std::string small = node("Less", {node("Abs", {power}), writer_.number(kExactIntegers)});
  const std::string whole = negation(node("Less", {exponent, writer_.integer(0)}));
  return cast(require(power, node("And", {small, whole})), DType::I64);
}

// By a table of powers of two.
std::string ScalarNodes::int_shift(HostOp op, Name number, Name count) {
  std::vector<std::int64_t> powers;
  for (int bit = 0; bit < 63; ++bit) powers.push_back(std::int64_t{1} << bit);
  const std::string least = writer_.integer(0);
  const std::string beyond = node("Greater", {count, writer_.integer(62)});
  const std::string index =
      node("Where", {beyond, writer_.integer(62), require(count, negation(node("Less", {count, least})))});
  const std::string power = node("Gather", {writer_.integers(powers), index});
  if (op == HostOp::Shr) {
    const std::string quotient = int_division(HostOp::FloorDiv, number, power, false);
    const std::string sign =
        node("Where", {node("Less", {number, least}), writer_.integer(-1), writer_.integer(0)});
    return node("Where", {beyond, sign, quotient});
  }
  const std::string fits = node("Or", {is_zero_int(number), negation(beyond)});
  return int_arithmetic(HostOp::Mul, require(number, fits), power, true);
}

std::string ScalarNodes::not_smallest(Name number) {
  return require(number, negation(node("Equal", {number, writer_.integer(kSmallest)})));
}

std::string ScalarNodes::nonzero(Name number) {
  return require(number, negation(node("Equal", {number, writer_.number(0)})));
}

// The remainder has the divisor's sign, a zero too.
std::string ScalarNodes::modulo(Name left, Name right) {
  const std::string rest = writer_.node("Mod", {left, right}, {{"fmod", std::int64_t{1}}});
  const std::string is_zero = node("Equal", {rest, writer_.number(0)});
  const std::string differs = node("Xor", {is_negative(right), is_negative(rest)});
  const std::string zero = pick(is_negative(right), writer_.number(-0.0), writer_.number(0));
  return pick(is_zero, zero, pick(differs, node("Add", {rest, right}), rest));
}

std::string ScalarNodes::floor_quotient(Name left, Name right) {
  const std::string rest = writer_.node("Mod", {left, right}, {{"fmod", std::int64_t{1}}});
  const std::string exact = node("Div", {node("Sub", {left, rest}), right});
  const std::string nonzero_rest = negation(node("Equal", {rest, writer_.number(0)}));
  const std::string differs =
      node("And", {nonzero_rest, node("Xor", {is_negative(right), is_negative(rest)})});
  const std::string quotient = pick(differs, node("Sub", {exact, writer_.number(1)}), exact);
  const std::string floor = node("Floor", {quotient});
  const std::string up = node("Greater", {node("Sub", {quotient, floor}), writer_.number(0.5)});
  const std::string rounded = pick(up, node("Add", {floor, writer_.number(1)}), floor);
  // A quotient of zero has the sign of the true one, which may be a zero itself.
  const std::string ratio = node("Div", {left, right});
  const std::string minus =
      node("Or", {is_negative(ratio), is_negative(node("Div", {writer_.number(1), ratio}))});
  const std::string zero = pick(minus, writer_.number(-0.0), writer_.number(0));
  return pick(node("Equal", {quotient, writer_.number(0)}), zero, rounded);
}

std::string ScalarNodes::float_division(HostOp op, Name left, Name right) {
  const std::string divisor = nonzero(right);
  if (op == HostOp::TrueDiv) return node("Div", {left, divisor});
  return op == HostOp::Mod ? modulo(left, divisor) : floor_quotient(left, divisor);
}

std::string ScalarNodes::is_finite(Name number) {
  const std::string infinity = writer_.number(std::numeric_limits<double>::infinity());
  return node("Less", {node("Abs", {number}), infinity});
}

// A pair of exponents keeps the runtime from squaring and cubing instead, which rounds differently.
std::string ScalarNodes::float_power(Name base, Name exponent) {
  const std::string one = node("Reshape", {exponent, writer_.integers({1})});
  const std::string pair = writer_.node("Concat", {one, one}, {{"axis", std::int64_t{0}}});
  const std::string power = node("Gather", {node("Pow", {base, pair}), writer_.integer(0)});
  const std::string plain = node("And", {is_finite(base), is_finite(exponent)});
  return require(power, node("Or", {is_finite(power), negation(plain)}));
}

std::string ScalarNodes::to_int(Name number) {
  const std::string above = negation(node("Less", {number, writer_.number(-kTwoTo63)}));
  const std::string fits = node("And", {above, node("Less", {number, writer_.number(kTwoTo63)})});
  return cast(require(number, fits), DType::I64);
}

std::string ScalarNodes::math_result(Name result, Name operand) {
  const auto is_nan = [&](Name number) { return negation(node("Equal", {number, number})); };
  const std::string same_nan = negation(node("Xor", {is_nan(result), is_nan(operand)}));
  const std::string passed_on = node("And", {negation(is_finite(operand)), same_nan});
  return require(result, node("Or", {is_finite(result), passed_on}));
}

std::string ScalarNodes::compare(HostOp op, Name left, Name right) {
  switch (op) {
    case HostOp::Lt: return node("Less", {left, right});
    case HostOp::Le: return node("Or", {node("Less", {left, right}), node("Equal", {left, right})});
    case HostOp::Gt: return node("Greater", {left, right});
    case HostOp::Ge: return node("Or", {node("Greater", {left, right}), node("Equal", {left, right})});
    case HostOp::Eq: return node("Equal", {left, right});
    case HostOp::Ne: return negation(node("Equal", {left, right}));
    default: internal_error("an operation that compares nothing was written as a comparison");
  }
}

// The float becomes the nearest int on the right side; beyond the range of ints its sign decides.
std::string ScalarNodes::compare_int_with_float(HostOp op, Name left, Name right) {
  const std::string above = node("Greater", {right, writer_.number(kBelowTwoTo63)});
  const std::string below = node("Less", {right, writer_.number(-kTwoTo63)});
  const std::string known = node("Equal", {right, right});  // not NaN
  const std::string inside = node("And", {known, negation(node("Or", {above, below}))});
  const std::string safe = node("Where", {inside, right, writer_.number(0)});
  const auto whole = [&](const char* rounding) { return cast(node(rounding, {safe}), DType::I64); };
  switch (op) {
    case HostOp::Lt:
    case HostOp::Ge: {
      const std::string less =
          node("Or", {above, node("And", {inside, node("Less", {left, whole("Ceil")})})});
      return op == HostOp::Lt ? less : node("And", {known, negation(less)});
    }
    case HostOp::Le:
    case HostOp::Gt: {
      const std::string greater =
          node("Or", {below, node("And", {inside, node("Greater", {left, whole("Floor")})})});
      return op == HostOp::Gt ? greater : node("And", {known, negation(greater)});
    }
    case HostOp::Eq:
    case HostOp::Ne: {
      const std::string exact = node("Equal", {node("Floor", {safe}), right});
      const std::string equal =
          node("And", {node("And", {inside, exact}), node("Equal", {left, whole("Floor")})});
      return op == HostOp::Eq ? equal : negation(equal);
    }
    default: internal_error("an operation that compares nothing was written as a comparison");
  }
}

}  // namespace dycl::export_onnx
