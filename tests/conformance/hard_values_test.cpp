// SPDX-License-Identifier: Apache-2.0
// Values on which backends are known to be silently wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::boolean;
using test::f32;
using test::i64;

TensorData f64(std::vector<std::int64_t> dims, std::initializer_list<double> values) {
  return test::tensor_of<double>(DType::F64, std::move(dims), values);
}

TensorData hard() { return f32({4}, {nan_value, 1, -infinity, infinity}); }

TEST(Doubles, KeepTheirPrecisionInArithmetic) {
  const TensorData small = f64({2}, {1, 2});
  const TensorData tiny = f64({2}, {1e-12, 3e-12});
  expect_right(ask_node("Add", {small, tiny}), {f64({2}, {1 + 1e-12, 2 + 3e-12})});
  expect_right(ask_node("Mul", {small, tiny}), {f64({2}, {1e-12, 6e-12})});
}

TEST(Doubles, KeepTheirPrecisionInMatrixProducts) {
  expect_right(ask_node("MatMul", {f64({1, 1}, {3}), f64({1, 1}, {1 + 1e-12})}),
               {f64({1, 1}, {3 * (1 + 1e-12)})});
}

TEST(Doubles, KeepTheirRange) {
  expect_right(ask_node("Add", {f64({1}, {1e300}), f64({1}, {1e300})}), {f64({1}, {2e300})});
}

TEST(NotANumber, PassesThroughActivations) {
  expect_right(ask_node("Relu", {hard()}), {f32({4}, {nan_value, 1, 0, infinity})});
  expect_right(ask_node("Abs", {hard()}), {f32({4}, {nan_value, 1, infinity, infinity})});
  expect_right(ask_node("Neg", {hard()}), {f32({4}, {nan_value, -1, infinity, -infinity})});
  expect_right(ask_node("Sigmoid", {hard()}), {f32({4}, {nan_value, 0.73105858F, 0, 1})}, 1e-6F);
  expect_right(ask_node("Tanh", {hard()}), {f32({4}, {nan_value, 0.76159416F, -1, 1})}, 1e-6F);
}

TEST(NotANumber, PassesThroughClip) {
  expect_right(ask_node("Clip", {hard(), f32({}, {0}), f32({}, {1})}), {f32({4}, {nan_value, 1, 0, 1})});
}

TEST(NotANumber, PassesThroughMaxAndMinOnBothSides) {
  const TensorData ones = f32({4}, {1, 1, 1, 1});
  expect_right(ask_node("Max", {hard(), ones}), {f32({4}, {nan_value, 1, 1, infinity})});
  expect_right(ask_node("Max", {ones, hard()}), {f32({4}, {nan_value, 1, 1, infinity})});
  expect_right(ask_node("Min", {hard(), ones}), {f32({4}, {nan_value, 1, -infinity, 1})});
  expect_right(ask_node("Min", {ones, hard()}), {f32({4}, {nan_value, 1, -infinity, 1})});
}

TEST(NotANumber, IsUnequalToEverything) {
  const TensorData ones = f32({4}, {1, 1, 1, 1});
  expect_right(ask_node("Equal", {hard(), hard()}), {boolean({4}, {0, 1, 1, 1})});
  expect_right(ask_node("Less", {hard(), ones}), {boolean({4}, {0, 0, 1, 0})});
  expect_right(ask_node("Greater", {hard(), ones}), {boolean({4}, {0, 0, 0, 1})});
  expect_right(ask_node("GreaterOrEqual", {hard(), ones}), {boolean({4}, {0, 1, 0, 1})});
}

TEST(NotANumber, IsRecognised) {
  expect_right(ask_node("IsNaN", {hard()}), {boolean({4}, {1, 0, 0, 0})});
  expect_right(ask_node("IsInf", {hard()}), {boolean({4}, {0, 0, 1, 1})});
}

TEST(NotANumber, PoisonsSums) {
  const TensorData row = f32({3}, {1, nan_value, 2});
  const TensorData axes = i64({1}, {0});
  const auto keep = attribute("keepdims", 0);
  expect_right(ask_node("ReduceSum", {row, axes}, {keep}), {f32({}, {nan_value})});
  expect_right(ask_node("ReduceMean", {row, axes}, {keep}), {f32({}, {nan_value})});
}

TEST(NotANumber, PoisonsMaximaUnlessThatIsLeftOpen) {
  const auto keep = attribute("keepdims", 0);
  for (const char* op : {"ReduceMax", "ReduceMin"}) {
    const auto question = [&] { return ask_node(op, {f32({3}, {1, nan_value, 2}), i64({1}, {0})}, {keep}); };
    expect_right_unless_left_open(question, {f32({}, {nan_value})});
  }
  const TensorData image = f32({1, 1, 3}, {1, nan_value, 2});
  const auto pool = [&] {
    return ask_node("MaxPool", {image}, {attribute("kernel_shape", std::vector<std::int64_t>{3})});
  };
  expect_right_unless_left_open(pool, {f32({1, 1, 1}, {nan_value})});
  expect_right_unless_left_open([&] { return ask_node("GlobalMaxPool", {image}); },
                                {f32({1, 1, 1}, {nan_value})});
}

TEST(NotANumber, ChosenByWhereOnlyWhereAsked) {
  expect_right(ask_node("Where", {boolean({4}, {0, 1, 0, 1}), hard(), f32({4}, {5, 5, 5, 5})}),
               {f32({4}, {5, 1, 5, infinity})});
}

TEST(Infinity, FollowsIeeeArithmetic) {
  const TensorData x = f32({3}, {infinity, -infinity, 1});
  const TensorData y = f32({3}, {infinity, infinity, 0});
  expect_right(ask_node("Add", {x, y}), {f32({3}, {infinity, nan_value, 1})});
  expect_right(ask_node("Sub", {x, y}), {f32({3}, {nan_value, -infinity, 1})});
  expect_right(ask_node("Mul", {x, y}), {f32({3}, {infinity, -infinity, 0})});
  expect_right(ask_node("Div", {x, y}), {f32({3}, {nan_value, nan_value, infinity})});
}

TEST(Infinity, SurvivesSoftmaxOfFiniteRows) {
  expect_right(ask_node("Softmax", {f32({1, 3}, {-infinity, 0, 0})}), {f32({1, 3}, {0, 0.5F, 0.5F})}, 1e-6F);
}

TEST(SmallestFloats, AreNotFlushedToZero) {
  constexpr float denormal = std::numeric_limits<float>::denorm_min();
  expect_right(ask_node("Add", {f32({1}, {denormal}), f32({1}, {denormal})}), {f32({1}, {2 * denormal})});
}

TEST(SizeOneDims, BroadcastAndReduceRightly) {
  expect_right(ask_node("Add", {f32({1, 3}, {1, 2, 3}), f32({2, 1}, {10, 20})}),
               {f32({2, 3}, {11, 12, 13, 21, 22, 23})});
  expect_right(ask_node("MatMul", {f32({1, 1}, {3}), f32({1, 1}, {4})}), {f32({1, 1}, {12})});
  expect_right(ask_node("ReduceSum", {f32({1, 1}, {3}), i64({1}, {0})}, {attribute("keepdims", 0)}),
               {f32({1}, {3})});
  expect_right(
      ask_node("Transpose", {f32({1, 2}, {3, 4})}, {attribute("perm", std::vector<std::int64_t>{1, 0})}),
      {f32({2, 1}, {3, 4})});
}

TEST(Scalars, HaveRankZeroInAndOut) {
  expect_right(ask_node("Add", {f32({}, {2}), f32({}, {3})}), {f32({}, {5})});
  expect_right(ask_node("Identity", {i64({}, {7})}), {i64({}, {7})});
}

}  // namespace
}  // namespace dycl::conformance
