// SPDX-License-Identifier: Apache-2.0
// Weights lie beside the graph and are shared by all executables that name them.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <fstream>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::f32;
using test::OnnxGraph;

BackendGraph with_weights(const OnnxGraph& graph, std::vector<std::pair<std::string, TensorPtr>> weights) {
  BackendGraph bytes = graph_of(graph);
  bytes.weights = std::move(weights);
  return bytes;
}

TensorPtr shared(TensorData tensor) { return std::make_shared<const TensorData>(std::move(tensor)); }

TEST(Weights, ReachTheGraphFromOutside) {
  const TensorPtr weight = shared(f32({2}, {10, 20}));
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).external_initializer("w", *weight);
  graph.node("Add", {"x", "w"}, {"y"}).output("y", DType::F32, {2});
  const std::array inputs{f32({2}, {1, 2})};
  expect_right(ask(with_weights(graph, {{"w", weight}}), inputs), {f32({2}, {11, 22})});
}

TEST(Weights, MayBeOfAnyDtypeAndEmpty) {
  const TensorPtr index = shared(test::i64({2}, {1, 0}));
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).external_initializer("i", *index);
  graph.node("Gather", {"x", "i"}, {"y"}).output("y", DType::F32, {2});
  const std::array inputs{f32({2}, {1, 2})};
  expect_right(ask(with_weights(graph, {{"i", index}}), inputs), {f32({2}, {2, 1})});

  const TensorPtr none = shared(f32({0}, {}));
  OnnxGraph join;
  join.input("x", DType::F32, {2}).external_initializer("e", *none);
  join.node("Concat", {"x", "e"}, {"y"}, {attribute("axis", 0)}).output("y", DType::F32, {2});
  expect_right(ask(with_weights(join, {{"e", none}}), inputs), {f32({2}, {1, 2})});
}

// Fusions that fold one weight into another must read the weights that were passed.
TEST(Weights, AreReadByFusions) {
  const TensorPtr kernel = shared(f32({1, 1, 1, 1}, {3}));
  const TensorPtr scale = shared(f32({1}, {2}));
  const TensorPtr shift = shared(f32({1}, {5}));
  const TensorPtr mean = shared(f32({1}, {1}));
  const TensorPtr variance = shared(f32({1}, {4}));
  OnnxGraph graph;
  graph.input("x", DType::F32, {1, 1, 1, 2});
  const std::vector<std::pair<std::string, TensorPtr>> weights{
      {"k", kernel}, {"s", scale}, {"b", shift}, {"m", mean}, {"v", variance}};
  for (const auto& [name, tensor] : weights) graph.external_initializer(name, *tensor);
  graph.node("Conv", {"x", "k"}, {"c"});
  graph.node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"n"}, {attribute("epsilon", 0.0F)});
  graph.node("Relu", {"n"}, {"y"}).output("y", DType::F32, {1, 1, 1, 2});
  const std::array inputs{f32({1, 1, 1, 2}, {1, -4})};
  expect_right(ask(with_weights(graph, weights), inputs), {f32({1, 1, 1, 2}, {7, 0})}, 1e-5F);
}

TEST(Weights, ThatAreMissingAreAnError) {
  const TensorData weight = f32({2}, {10, 20});
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).external_initializer("w", weight);
  graph.node("Add", {"x", "w"}, {"y"}).output("y", DType::F32, {2});
  EXPECT_FALSE(subject().load(graph_of(graph), ""));
}

TEST(Weights, OfAnotherTypeThanTheGraphSaysAreAnError) {
  const TensorData weight = f32({2}, {10, 20});
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).external_initializer("w", weight);
  graph.node("Add", {"x", "w"}, {"y"}).output("y", DType::F32, {2});
  EXPECT_FALSE(subject().load(with_weights(graph, {{"w", shared(test::i64({1}, {1}))}}), ""));
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Weights, AreNotCopiedForEveryExecutable) {
  constexpr std::int64_t rows = 8 << 20;  // 32 MB
  const TensorPtr weight = shared(make_tensor(DType::F32, {rows}, std::vector<std::byte>(rows * 4)));
  OnnxGraph graph;
  graph.input("x", DType::F32, {rows}).external_initializer("w", *weight);
  graph.node("Add", {"x", "w"}, {"y"}).output("y", DType::F32, {rows});
  const BackendGraph bytes = with_weights(graph, {{"w", weight}});
  const auto first = subject().load(bytes, subject().compile(bytes).value());
  ASSERT_TRUE(first) << to_string(first.error());
  const std::int64_t before = resident_bytes();
  std::vector<std::shared_ptr<const BackendExecutable>> more;
  for (int copy = 0; copy < 4; ++copy) more.push_back(subject().load(bytes, "").value());
  EXPECT_LT(resident_bytes() - before, rows * 4) << "four more executables of one 32 MB weight";
}

}  // namespace
}  // namespace dycl::conformance
