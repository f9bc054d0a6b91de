// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::boolean;
using test::i64;

constexpr std::int64_t big = (std::int64_t{1} << 40) + 3;
constexpr std::int64_t most_negative = std::numeric_limits<std::int64_t>::min();

TensorData i32(std::vector<std::int64_t> dims, std::initializer_list<std::int32_t> values) {
  return test::tensor_of<std::int32_t>(DType::I32, std::move(dims), values);
}

TEST(LargeIntegers, SurviveArithmetic) {
  const TensorData x = i64({2}, {big, -big});
  const TensorData y = i64({2}, {3, 5});
  expect_right(ask_node("Add", {x, y}), {i64({2}, {big + 3, -big + 5})});
  expect_right(ask_node("Sub", {x, y}), {i64({2}, {big - 3, -big - 5})});
  expect_right(ask_node("Mul", {x, y}), {i64({2}, {big * 3, -big * 5})});
  expect_right(ask_node("Div", {x, y}), {i64({2}, {big / 3, -big / 5})});
}

TEST(LargeIntegers, SurviveModuloWithTheDivisorsSign) {
  expect_right(ask_node("Mod", {i64({2}, {big, -big}), i64({2}, {7, 7})}),
               {i64({2}, {big % 7, ((-big % 7) + 7) % 7})});
}

TEST(LargeIntegers, SurviveComparisonAndSelection) {
  const TensorData x = i64({2}, {big, -big});
  const TensorData y = i64({2}, {big + 1, -big});
  expect_right(ask_node("Equal", {x, y}), {boolean({2}, {0, 1})});
  expect_right(ask_node("Less", {x, y}), {boolean({2}, {1, 0})});
  expect_right(ask_node("Max", {x, y}), {i64({2}, {big + 1, -big})});
  expect_right(ask_node("Where", {boolean({2}, {1, 0}), x, y}), {i64({2}, {big, -big})});
}

TEST(LargeIntegers, SurviveDataMovement) {
  const TensorData x = i64({2}, {big, most_negative});
  expect_right(ask_node("Identity", {x}), {x});
  expect_right(ask_node("Concat", {x, x}, {attribute("axis", 0)}),
               {i64({4}, {big, most_negative, big, most_negative})});
  expect_right(ask_node("Gather", {x, i64({1}, {0})}), {i64({1}, {big})});
  expect_right(ask_node("Reshape", {x, i64({2}, {2, 1})}), {i64({2, 1}, {big, most_negative})});
}

TEST(LargeIntegers, SurviveReductions) {
  const auto keep = attribute("keepdims", 0);
  const TensorData x = i64({2}, {big, 5});
  const TensorData axes = i64({1}, {0});
  expect_right(ask_node("ReduceSum", {x, axes}, {keep}), {i64({}, {big + 5})});
  expect_right(ask_node("ReduceMax", {x, axes}, {keep}), {i64({}, {big})});
  expect_right(ask_node("CumSum", {x, i64({}, {0})}), {i64({2}, {big, big + 5})});
  expect_right(ask_node("ReduceProd", {i64({2}, {big, 3}), axes}, {keep}), {i64({}, {big * 3})});
}

TEST(LargeIntegers, BeyondDoublePrecisionSurviveOrAreRefused) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const auto keep = attribute("keepdims", 0);
  const TensorData axes = i64({1}, {0});
  for (const char* op : {"ReduceMean", "ReduceL1"}) {
    const Answer answer = ask_node(op, {i64({1}, {odd}), axes}, {keep});
    if (answer.kind != Answer::Kind::Refused) expect_right(answer, {i64({}, {odd})});
  }
  constexpr std::int64_t root = (std::int64_t{1} << 31) + 1;
  const Answer squares = ask_node("ReduceSumSquare", {i64({1}, {root}), axes}, {keep});
  if (squares.kind != Answer::Kind::Refused) expect_right(squares, {i64({}, {root * root})});
}

// The mean's operand is computed inside; it is declared where sub-DNNs declare it, as an inner value or
// output.
TEST(LargeIntegers, ThatNodesComputeAreAveragedExactlyOrRefused) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  for (const bool is_output : {false, true}) {
    test::OnnxGraph graph;
    graph.input("x", DType::I64, {1}).node("Identity", {"x"}, {"y"});
    graph.node("ReduceMean", {"y"}, {"z"}, {attribute("keepdims", 0)}).output("z");
    std::vector<TensorData> expected{i64({}, {odd})};
    if (is_output) {
      graph.output("y", test::unranked_type(DType::I64));
      expected.push_back(i64({1}, {odd}));
    } else {
      graph.value("y", test::unranked_type(DType::I64));
    }
    const Answer answer = ask(graph, {i64({1}, {odd})});
    if (answer.kind != Answer::Kind::Refused) expect_right(answer, expected);
  }
}

TEST(LargeIntegers, SumsAndProductsBeyondDoublePrecisionAreExactOrDeclared) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const std::string hazard = "integer_reduction_inexact";
  const auto keep = attribute("keepdims", 0);
  const auto sum = [&] { return ask_node("ReduceSum", {i64({2}, {odd, 2})}, {keep}); };
  expect_right_or_hazard(hazard, sum, {i64({}, {odd + 2})});
  const auto product = [&] { return ask_node("ReduceProd", {i64({2}, {odd, 3})}, {keep}); };
  expect_right_or_hazard(hazard, product, {i64({}, {odd * 3})});
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  const auto wrapped = [&] { return ask_node("ReduceSum", {i32({2}, {largest, 1})}, {keep}); };
  expect_right_or_hazard(hazard, wrapped, {i32({}, {std::numeric_limits<std::int32_t>::min()})});
}

TEST(LargeIntegers, PowersAreExactOrDeclared) {
  const auto question = [] { return ask_node("Pow", {i64({1}, {3}), i64({1}, {39})}); };
  expect_right_or_hazard("integer_pow_inexact", question, {i64({1}, {4052555153018976267})});
}

TEST(LargeIntegers, AreNarrowedToTheirLowBits) {
  for (const DType to : {DType::I32, DType::I16}) {
    test::OnnxGraph graph;
    graph.input("x", DType::F32, {2}).node("Cast", {"x"}, {"wide"}, {attribute("to", 7)});
    graph.node("Cast", {"wide"}, {"y"}, {attribute("to", static_cast<int>(to))}).output("y");
    const Answer answer = ask(graph, {f32({2}, {3e9F, -3e9F})});
    if (answer.kind == Answer::Kind::Refused || answer.kind == Answer::Kind::RefusedByValue) continue;
    if (to == DType::I32) expect_right(answer, {i32({2}, {-1294967296, 1294967296})});
    if (to == DType::I16)
      expect_right(answer,
                   {make_tensor_of<std::int16_t>(DType::I16, {2}, std::vector<std::int16_t>{24064, -24064})});
  }
}

TEST(LargeIntegers, CastToAndFromDouble) {
  constexpr std::int64_t exact = std::int64_t{1} << 52;
  const TensorData as_double = test::tensor_of<double>(DType::F64, {1}, {static_cast<double>(exact + 1)});
  expect_right(ask_node("Cast", {i64({1}, {exact + 1})}, {attribute("to", 11)}), {as_double});
  expect_right(ask_node("Cast", {as_double}, {attribute("to", 7)}), {i64({1}, {exact + 1})});
}

TEST(LargeIntegers, UnsignedKeepTheirHighestBit) {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const TensorData x = test::tensor_of<std::uint64_t>(DType::U64, {1}, {top + 1});
  expect_right(ask_node("Identity", {x}), {x});
  expect_right(ask_node("Max", {x, test::tensor_of<std::uint64_t>(DType::U64, {1}, {5})}), {x});
}

TEST(IntegerDivision, TruncatesTowardsZero) {
  expect_right(ask_node("Div", {i64({4}, {7, -7, 7, -7}), i64({4}, {2, 2, -2, -2})}),
               {i64({4}, {3, -3, -3, 3})});
}

template <class T>
void expect_cut_quotients(DType dtype) {
  const auto make = [&](std::initializer_list<T> values) { return test::tensor_of<T>(dtype, {4}, values); };
  expect_right(ask_node("Div", {make({3, 7, 127, 5}), make({2, 4, 2, 3})}), {make({1, 1, 63, 1})});
}

TEST(IntegerDivision, OfSmallIntegersIsNotRounded) {
  expect_cut_quotients<std::int8_t>(DType::I8);
  expect_cut_quotients<std::uint8_t>(DType::U8);
  expect_cut_quotients<std::int16_t>(DType::I16);
  expect_cut_quotients<std::uint16_t>(DType::U16);
  expect_cut_quotients<std::uint32_t>(DType::U32);
  const auto make = [](std::initializer_list<std::int8_t> values) {
    return test::tensor_of<std::int8_t>(DType::I8, {4}, values);
  };
  expect_right(ask_node("Div", {make({-3, 7, -128, -5}), make({2, -4, 3, -3})}), {make({-1, -1, -42, 1})});
}

TEST(IntegerDivision, LeavesAnExactRemainder) {
  expect_right(
      ask_node("Mod", {i64({4}, {12667216, -15380294, 7, -7}), i64({4}, {-5648031, 5738219, -3, 3})}),
      {i64({4}, {-4276877, 1834363, -2, 2})});
  expect_right(ask_node("Mod", {i32({2}, {13813472, -6}), i32({2}, {-6400293, 3})}),
               {i32({2}, {-5387407, 0})});
  expect_right(ask_node("Mod", {i64({2}, {7, -7}), i64({2}, {-3, 3})}, {attribute("fmod", 1)}),
               {i64({2}, {1, -1})});
}

TEST(IntegerDivision, ByZeroIsAnErrorOrDeclared) {
  for (const char* op : {"Div", "Mod"}) {
    expect_error_or_hazard("integer_division_by_zero", ask_node(op, {i64({1}, {5}), i64({1}, {0})}));
    expect_error_or_hazard("integer_division_by_zero", ask_node(op, {i32({1}, {5}), i32({1}, {0})}));
  }
}

TEST(IntegerDivision, OfTheMostNegativeByMinusOneIsSafeOrDeclared) {
  // Either answer of two's complement is fine; killing the process is not.
  expect_right_or_hazard("integer_division_overflow",
                         [] { return ask_node("Div", {i64({1}, {most_negative}), i64({1}, {-1})}); },
                         {i64({1}, {most_negative})});
  expect_right_or_hazard("integer_division_overflow",
                         [] { return ask_node("Mod", {i64({1}, {most_negative}), i64({1}, {-1})}); },
                         {i64({1}, {0})});
}

TEST(IntegerOverflow, Wraps) {
  constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
  expect_right(ask_node("Add", {i32({1}, {highest}), i32({1}, {1})}),
               {i32({1}, {std::numeric_limits<std::int32_t>::min()})});
}

}  // namespace
}  // namespace dycl::conformance
