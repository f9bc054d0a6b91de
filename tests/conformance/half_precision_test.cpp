// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 results are rounded after every operator, not only where they leave a graph.
#include <gtest/gtest.h>

#include <algorithm>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::f32;
using test::OnnxGraph;

TensorData half(DType dtype, std::initializer_list<std::uint16_t> bits) {
  return test::tensor_of<std::uint16_t>(dtype, {static_cast<std::int64_t>(bits.size())}, bits);
}

TEST(HalfPrecision, IsRoundedToNearestWhereItLeaves) {
  const TensorData x = f32({2}, {1.7F, -3});
  expect_right(ask_node("Cast", {x}, {attribute("to", 10)}), {half(DType::F16, {0x3ECD, 0xC200})});
  expect_right(ask_node("Cast", {x}, {attribute("to", 16)}), {half(DType::BF16, {0x3FDA, 0xC040})});
}

TEST(HalfPrecision, IsReadExactly) {
  expect_right(ask_node("Cast", {half(DType::F16, {0x3ECD, 0xC200})}, {attribute("to", 1)}),
               {f32({2}, {1.7001953125F, -3})});
  expect_right(ask_node("Cast", {half(DType::BF16, {0x3FDA, 0xC040})}, {attribute("to", 1)}),
               {f32({2}, {1.703125F, -3})});
}

TEST(HalfPrecision, OfOneOperatorIsTheRoundedExactResult) {
  // 1 + 2^-11 lies between two f16 numbers and goes to the even one; 2048 + 1 likewise.
  expect_right(ask_node("Add", {half(DType::F16, {0x3C00, 0x6800}), half(DType::F16, {0x1000, 0x3C00})}),
               {half(DType::F16, {0x3C00, 0x6800})});
}

TEST(HalfPrecision, IsRoundedBetweenOperators) {
  const std::vector<std::pair<int, float>> cases{{10, 1.7001953125F}, {16, 1.703125F}};
  for (const auto& [dtype, rounded] : cases) {
    OnnxGraph graph;
    graph.input("x", DType::F32, {1}).node("Cast", {"x"}, {"h"}, {attribute("to", dtype)});
    graph.node("Cast", {"h"}, {"y"}, {attribute("to", 1)}).output("y", DType::F32, {1});
    expect_right(ask(graph, {f32({1}, {1.7F})}), {f32({1}, {rounded})});
  }
}

bool says_that_sums_are_not_rounded() {
  return std::ranges::any_of(subject().description().notes, [](const std::string& note) {
    return note.starts_with("f16 results are not rounded between operators");
  });
}

// 2048 + 1 is 2048 in f16, so adding 1 twice changes nothing; unrounded it gives 2050. A backend that
// does that has to say so.
TEST(HalfPrecision, SumsAreRoundedBetweenOperatorsOrItIsSaid) {
  OnnxGraph graph;
  graph.input("x", DType::F16, {1}).input("one", DType::F16, {1});
  graph.node("Add", {"x", "one"}, {"t"}).node("Add", {"t", "one"}, {"y"}).output("y", DType::F16, {1});
  const std::uint16_t expected = says_that_sums_are_not_rounded() ? 0x6801 : 0x6800;
  expect_right(ask(graph, {half(DType::F16, {0x6800}), half(DType::F16, {0x3C00})}),
               {half(DType::F16, {expected})});
}

}  // namespace
}  // namespace dycl::conformance
