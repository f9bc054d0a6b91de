// SPDX-License-Identifier: Apache-2.0
// A bool is 0 or 1, whatever it was made from; backends store it in a byte that can hold more.
#include <gtest/gtest.h>

#include <limits>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::boolean;
using test::f32;
using test::i64;
using test::OnnxGraph;

constexpr int to_bool = 9;
constexpr int to_f32 = 1;

TensorData u8(std::vector<std::int64_t> dims, std::initializer_list<std::uint8_t> values) {
  return test::tensor_of<std::uint8_t>(DType::U8, std::move(dims), values);
}

TEST(Bools, AreTrueForAnythingButZero) {
  const auto to = attribute("to", to_bool);
  expect_right(ask_node("Cast", {f32({6}, {0, -0.0F, 0.5F, -1, 2, nan_value})}, {to}),
               {boolean({6}, {0, 0, 1, 1, 1, 1})});
  expect_right(ask_node("Cast", {u8({4}, {0, 1, 2, 255})}, {to}), {boolean({4}, {0, 1, 1, 1})});
  expect_right(ask_node("Cast", {i64({4}, {0, 1, -1, 256})}, {to}), {boolean({4}, {0, 1, 1, 1})});
}

// x → bool → f32 must not become x → f32.
TEST(Bools, AreCastBackToOneAndZero) {
  for (const TensorData& x : {f32({3}, {0, 0.5F, 3}), u8({3}, {0, 1, 3}), i64({3}, {0, -1, 3})}) {
    OnnxGraph graph;
    graph.input("x", x.dtype, {3}).node("Cast", {"x"}, {"b"}, {attribute("to", to_bool)});
    graph.node("Cast", {"b"}, {"y"}, {attribute("to", to_f32)}).output("y", DType::F32, {3});
    expect_right(ask(graph, {x}), {f32({3}, {0, 1, 1})});
  }
}

TEST(Bools, MadeFromNumbersAreComparedAsBools) {
  const TensorData x = u8({4}, {0, 1, 2, 0});
  const TensorData y = u8({4}, {2, 2, 1, 0});
  const std::vector<std::pair<const char*, TensorData>> cases{{"And", boolean({4}, {0, 1, 1, 0})},
                                                              {"Or", boolean({4}, {1, 1, 1, 0})},
                                                              {"Xor", boolean({4}, {1, 0, 0, 0})},
                                                              {"Equal", boolean({4}, {0, 1, 1, 1})}};
  for (const auto& [op, expected] : cases) {
    OnnxGraph graph;
    graph.input("x", DType::U8, {4}).input("y", DType::U8, {4});
    graph.node("Cast", {"x"}, {"a"}, {attribute("to", to_bool)});
    graph.node("Cast", {"y"}, {"b"}, {attribute("to", to_bool)});
    graph.node(op, {"a", "b"}, {"z"}).output("z", DType::Bool, {4});
    expect_right(ask(graph, {x, y}), {expected});
  }
}

TEST(Bools, StayBoolsWhenMovedAndChosen) {
  const TensorData x = boolean({3}, {0, 1, 1});
  const TensorData y = boolean({3}, {1, 0, 1});
  expect_right(ask_node("Not", {x}), {boolean({3}, {1, 0, 0})});
  expect_right(ask_node("Concat", {x, y}, {attribute("axis", 0)}), {boolean({6}, {0, 1, 1, 1, 0, 1})});
  const auto keep = attribute("keepdims", 0);
  expect_right(ask_node("ReduceMax", {x, i64({1}, {0})}, {keep}, 1, {20, 9}), {boolean({}, {1})});
  expect_right(ask_node("ReduceMin", {x, i64({1}, {0})}, {keep}, 1, {20, 9}), {boolean({}, {0})});
}

}  // namespace
}  // namespace dycl::conformance
