// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::f32;
using test::i64;

TEST(EmptyTensors, PassThrough) {
  expect_right(ask_node("Identity", {f32({0, 3}, {})}), {f32({0, 3}, {})});
  expect_right(ask_node("Add", {f32({0}, {}), f32({0}, {})}), {f32({0}, {})});
  expect_right(ask_node("Relu", {f32({2, 0}, {})}), {f32({2, 0}, {})});
}

TEST(EmptyTensors, AreConcatenated) {
  expect_right(ask_node("Concat", {f32({0, 2}, {}), f32({1, 2}, {3, 4})}, {attribute("axis", 0)}),
               {f32({1, 2}, {3, 4})});
}

TEST(EmptyTensors, GiveZeroProducts) {
  expect_right(ask_node("MatMul", {f32({2, 0}, {}), f32({0, 2}, {})}), {f32({2, 2}, {0, 0, 0, 0})});
  expect_right(ask_node("MatMul", {f32({0, 2}, {}), f32({2, 3}, {1, 2, 3, 4, 5, 6})}), {f32({0, 3}, {})});
}

TEST(EmptyTensors, ReduceToTheNeutralElement) {
  const TensorData x = f32({2, 0}, {});
  const TensorData axes = i64({1}, {1});
  const auto keep = attribute("keepdims", 0);
  expect_right(ask_node("ReduceSum", {x, axes}, {keep}), {f32({2}, {0, 0})});
  expect_right(ask_node("ReduceProd", {x, axes}, {keep}), {f32({2}, {1, 1})});
  expect_right(ask_node("ReduceMax", {x, axes}, {keep}), {f32({2}, {-infinity, -infinity})});
  expect_right(ask_node("ReduceMin", {x, axes}, {keep}), {f32({2}, {infinity, infinity})});
}

TEST(EmptyTensors, HaveNoMeanUnlessThatIsLeftOpen) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  const auto question = [] {
    return ask_node("ReduceMean", {f32({2, 0}, {}), i64({1}, {1})}, {attribute("keepdims", 0)});
  };
  expect_right_unless_left_open(question, {f32({2}, {none, none})});
}

TEST(EmptyTensors, OfStringsAreCarried) {
  const TensorData none = make_string_tensor({0}, {});
  expect_right(ask_node("Identity", {none}), {none});
}

TEST(EmptyTensors, HaveNoNonZeroElements) {
  expect_right(ask_node("NonZero", {f32({0}, {})}), {i64({1, 0}, {})});
  expect_right(ask_node("NonZero", {f32({3}, {0, 0, 0})}), {i64({1, 0}, {})});
}

TEST(EmptyTensors, ComeFromDataDependentSizes) {
  expect_right(
      ask_node("Compress", {f32({3}, {1, 2, 3}), test::boolean({3}, {0, 0, 0})}, {attribute("axis", 0)}),
      {f32({0}, {})});
}

}  // namespace
}  // namespace dycl::conformance
