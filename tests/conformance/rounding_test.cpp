// SPDX-License-Identifier: Apache-2.0
// Programs that rely on rounding, overflow or NaN between two operators: merging the two is not allowed.
#include <gtest/gtest.h>

#include <limits>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::f32;
using test::OnnxGraph;

constexpr float magic = 12582912;  // 1.5 * 2^23: adding it rounds to integers

struct Step {
  const char* op;
  float constant;
};

// x, then one operator with a constant after the other.
Answer ask_chain(std::initializer_list<Step> steps, const TensorData& x) {
  OnnxGraph graph;
  graph.input("v0", DType::F32, {x.dims[0]});
  std::string last = "v0";
  std::size_t count = 0;
  for (const Step& step : steps) {
    const std::string number = std::to_string(++count);
    graph.initializer("c" + number, f32({}, {step.constant}));
    graph.node(step.op, {last, "c" + number}, {"v" + number});
    last = "v" + number;
  }
  graph.output(last, DType::F32, {x.dims[0]});
  return ask(graph, {x});
}

TEST(Rounding, OfASumIsNotOptimisedAway) {
  const TensorData x = f32({4}, {0.3F, 1.7F, -2.4F, 2.5F});
  const TensorData rounded = f32({4}, {0, 2, -2, 2});
  expect_right(ask_chain({{"Add", magic}, {"Sub", magic}}, x), {rounded});
  expect_right(ask_chain({{"Sub", magic}, {"Add", magic}}, x), {rounded});
  expect_right(ask_chain({{"Add", magic}, {"Add", -magic}, {"Mul", 2}}, x), {f32({4}, {0, 4, -4, 4})});
}

TEST(Quotients, AreThoseOfADivision) {
  const TensorData x = f32({6}, {41, 82, 47, 0, infinity, nan_value});
  const TensorData quotients = f32({6}, {1, 2, 47.0F / 41.0F, 0, infinity, nan_value});
  expect_right(ask_chain({{"Div", 41}}, x), {quotients});
  OnnxGraph graph;
  graph.input("x", DType::F32, {6}).initializer("c", f32({}, {41}));
  graph.node("Div", {"x", "c"}, {"q"}).node("Floor", {"q"}, {"y"}).output("y", DType::F32, {6});
  expect_right(ask(graph, {x}), {f32({6}, {1, 2, 1, 0, infinity, nan_value})});
}

TEST(Overflow, OfAProductIsNotOptimisedAway) {
  const TensorData x = f32({3}, {1, 1e20F, -1e20F});
  expect_right(ask_chain({{"Mul", 1e30F}, {"Mul", 1e-30F}}, x), {f32({3}, {1, infinity, -infinity})}, 1e-6F);
  expect_right(ask_chain({{"Mul", 1e30F}, {"Div", 1e30F}}, x), {f32({3}, {1, infinity, -infinity})}, 1e-6F);
}

TEST(NotANumber, PassesThroughBoundsOneAfterTheOther) {
  const TensorData x = f32({4}, {nan_value, -1, 1, infinity});
  const TensorData bounded = f32({4}, {nan_value, 0, 1, 2});
  expect_right(ask_chain({{"Max", 0}, {"Min", 2}}, x), {bounded});
  expect_right(ask_chain({{"Min", 2}, {"Max", 0}}, x), {bounded});
}

TEST(Infinity, PoolsToItselfOrIsDeclared) {
  const TensorData x = f32({1, 1, 4}, {-infinity, -infinity, -infinity, 2});
  const auto pairs = attribute("kernel_shape", std::vector<std::int64_t>{2});
  const auto steps = attribute("strides", std::vector<std::int64_t>{2});
  expect_right_or_hazard("max_pool_lowest_finite", [&] { return ask_node("MaxPool", {x}, {pairs, steps}); },
                         {f32({1, 1, 2}, {-infinity, 2})});
  const TensorData nothing = f32({1, 1, 2}, {-infinity, -infinity});
  expect_right_or_hazard("max_pool_lowest_finite", [&] { return ask_node("GlobalMaxPool", {nothing}); },
                         {f32({1, 1, 1}, {-infinity})});
  constexpr float lowest = std::numeric_limits<float>::lowest();
  expect_right(ask_node("MaxPool", {f32({1, 1, 2}, {lowest, lowest})}, {pairs, steps}),
               {f32({1, 1, 1}, {lowest})});
}

}  // namespace
}  // namespace dycl::conformance
