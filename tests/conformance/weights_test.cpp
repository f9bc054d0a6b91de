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

// Loads a graph with one weight of 32 MB four more times; how many copies of it did that take?
TEST(Weights, AreCopiedForEveryExecutableNoOftenerThanDeclared) {
  constexpr std::int64_t rows = 8 << 20;
  constexpr std::int64_t size = rows * 4;
  constexpr int executables = 4;
  const TensorPtr weight = shared(make_tensor(DType::F32, {rows}, std::vector<std::byte>(size)));
  OnnxGraph graph;
  graph.input("x", DType::F32, {rows}).external_initializer("w", *weight);
  graph.node("Add", {"x", "w"}, {"y"}).output("y", DType::F32, {rows});
  const BackendGraph bytes = with_weights(graph, {{"w", weight}});
  const std::string blob = subject().compile(bytes).value();
  const auto first = subject().load(bytes, blob);
  ASSERT_TRUE(first) << to_string(first.error());
  const std::int64_t before = resident_bytes();
  std::vector<std::shared_ptr<const BackendExecutable>> more;
  for (int copy = 0; copy < executables; ++copy) more.push_back(subject().load(bytes, blob).value());
  const std::int64_t declared = executables * subject().description().weight_copies;
  EXPECT_LT(resident_bytes() - before, (declared + 1) * size) << declared << " copies are declared";
}

}  // namespace
}  // namespace dycl::conformance
