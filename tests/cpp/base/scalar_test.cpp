// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dycl {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();

Scalar i(std::int64_t number) { return number; }
Scalar f(double number) { return number; }

Scalar value(HostOp op, Scalar left, Scalar right) {
  const std::array operands{left, right};
  const auto result = scalar_operation(op, operands);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(Scalar(false));
}

std::string exception(HostOp op, std::vector<Scalar> operands) {
  const auto result = scalar_operation(op, operands);
  if (result.has_value()) return "none: " + repr(*result);
  return result.error().exception_type + ": " + result.error().message;
}

TEST(ScalarTest, IntegerDivisionRoundsDownAndModTakesTheDivisorsSign) {
  EXPECT_EQ(value(HostOp::FloorDiv, i(7), i(2)), i(3));
  EXPECT_EQ(value(HostOp::FloorDiv, i(-7), i(2)), i(-4));
  EXPECT_EQ(value(HostOp::FloorDiv, i(7), i(-2)), i(-4));
  EXPECT_EQ(value(HostOp::FloorDiv, i(-7), i(-2)), i(3));
  EXPECT_EQ(value(HostOp::Mod, i(-7), i(3)), i(2));
  EXPECT_EQ(value(HostOp::Mod, i(7), i(-3)), i(-2));
  EXPECT_EQ(value(HostOp::Mod, i(kMin), i(-1)), i(0));
}

TEST(ScalarTest, FloatDivisionFollowsPython) {
  EXPECT_EQ(value(HostOp::FloorDiv, f(-7.5), f(2)), f(-4));
  EXPECT_EQ(value(HostOp::Mod, f(-7.5), f(2)), f(0.5));
  EXPECT_EQ(value(HostOp::Mod, f(1), f(-kInf)), f(-kInf));
  EXPECT_EQ(value(HostOp::FloorDiv, f(1), f(-kInf)), f(-1));
  EXPECT_TRUE(std::signbit(std::get<double>(value(HostOp::Mod, f(4), f(-2)))));
  EXPECT_EQ(value(HostOp::FloorDiv, f(1), f(0.1)), f(9));
}

TEST(ScalarTest, IntegerResultsBeyond64BitsAreErrorsAndNeverWrap) {
  EXPECT_EQ(exception(HostOp::Add, {i(kMax), i(1)}),
            "OverflowError: add(9223372036854775807, 1) does not fit into 64 bits");
  EXPECT_TRUE(exception(HostOp::Sub, {i(kMin), i(1)}).starts_with("OverflowError"));
  EXPECT_TRUE(exception(HostOp::Mul, {i(kMax), i(2)}).starts_with("OverflowError"));
  EXPECT_TRUE(exception(HostOp::FloorDiv, {i(kMin), i(-1)}).starts_with("OverflowError"));
}

TEST(ScalarTest, DivisionByZeroIsWhatPythonRaises) {
  EXPECT_EQ(exception(HostOp::FloorDiv, {i(1), i(0)}),
            "ZeroDivisionError: integer division or modulo by zero");
  EXPECT_EQ(exception(HostOp::Mod, {i(1), i(0)}), "ZeroDivisionError: integer modulo by zero");
  EXPECT_EQ(exception(HostOp::FloorDiv, {f(1), f(0)}), "ZeroDivisionError: float floor division by zero");
  EXPECT_EQ(exception(HostOp::Mod, {f(1), f(-0.0)}), "ZeroDivisionError: float modulo");
}

TEST(ScalarTest, NanComparesUnequalToEverything) {
  const Scalar nan = f(std::nan(""));
  EXPECT_EQ(value(HostOp::Eq, nan, nan), Scalar(false));
  EXPECT_EQ(value(HostOp::Ne, nan, nan), Scalar(true));
  EXPECT_EQ(value(HostOp::Lt, nan, f(1)), Scalar(false));
  EXPECT_EQ(value(HostOp::Le, i(2), i(2)), Scalar(true));
}

TEST(ScalarTest, FloatToIntTruncatesAndRefusesWhatHasNoInteger) {
  EXPECT_EQ(scalar_to_int(f(-2.9)).value(), -2);
  EXPECT_EQ(scalar_to_int(f(-9223372036854775808.0)).value(), kMin);
  EXPECT_EQ(exception(HostOp::ToInt, {f(std::nan(""))}), "ValueError: cannot convert float NaN to integer");
  EXPECT_EQ(exception(HostOp::ToInt, {f(kInf)}), "OverflowError: cannot convert float infinity to integer");
  EXPECT_EQ(exception(HostOp::ToInt, {f(9223372036854775808.0)}),
            "OverflowError: float 9.223372036854776e+18 does not fit into 64 bits");
}

TEST(ScalarTest, TruthIsNotZeroAndNanIsTrue) {
  EXPECT_TRUE(scalar_to_bool(f(std::nan(""))));
  EXPECT_FALSE(scalar_to_bool(f(-0.0)));
  EXPECT_TRUE(scalar_to_bool(i(-1)));
}

TEST(ScalarTest, LogicTakesBoolsOnly) {
  EXPECT_EQ(value(HostOp::And, true, false), Scalar(false));
  EXPECT_EQ(value(HostOp::Or, true, false), Scalar(true));
  const std::array mixed{Scalar(true), i(1)};
  EXPECT_EQ(scalar_operation(HostOp::And, mixed).error().blame, Blame::Internal);
}

TEST(ScalarTest, MixedKindsAndWrongCountsAreErrorsNotCrashes) {
  const std::array mixed{i(1), f(1)};
  EXPECT_FALSE(scalar_operation(HostOp::Add, mixed));
  EXPECT_TRUE(scalar_operation(HostOp::Lt, mixed));
  EXPECT_FALSE(scalar_operation(HostOp::Add, {}));
  EXPECT_FALSE(scalar_operation(HostOp::SeqLen, mixed));
}

TEST(ScalarTest, ARaiseKeepsItsTypeApartAndPrintsIt) {
  const auto result = scalar_arithmetic(HostOp::Mod, i(1), i(0));
  EXPECT_EQ(result.error().blame, Blame::Model);
  EXPECT_EQ(to_string(result.error()), "ZeroDivisionError: integer modulo by zero [model.raised]");
}

}  // namespace
}  // namespace dycl
