// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/refused_node.h"

#include <gtest/gtest.h>

#include "skeleton/plugin.h"
#include "support/onnx_builder.h"

namespace dycl::compile_subnets {
namespace {

using test::OnnxGraph;

std::shared_ptr<const Backend> skeleton_backend() {
  BackendOptions options;
  options.name = "skeleton";
  return Backend::open(skeleton::api(), options).value();
}

// Each node reads the one before.
BackendGraph chain(const std::vector<std::string>& ops) {
  OnnxGraph graph;
  graph.input("v0", DType::F32, {2});
  for (std::size_t index = 0; index < ops.size(); ++index) {
    const std::string from = "v" + std::to_string(index);
    graph.node(ops[index], {from, from}, {"v" + std::to_string(index + 1)});
  }
  graph.output("v" + std::to_string(ops.size()), DType::F32, {2});
  return {test::model_bytes(graph), {}};
}

std::size_t found_in(const std::vector<std::string>& ops, std::optional<std::size_t> named = {}) {
  return refused_node(*skeleton_backend(), chain(ops), ops.size(), {"it does not want to", named});
}

TEST(RefusedNode, IsTheOneThatTheBackendNames) {
  const BackendGraph graph = chain({"Add", "Add", "Mul", "Add"});
  const std::optional<Refusal> refusal = skeleton_backend()->check(graph).value();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->node, 2U);
  EXPECT_EQ(refused_node(*skeleton_backend(), graph, 4, *refusal), 2U);
}

TEST(RefusedNode, IsLookedForWhenTheBackendNamesNone) {
  EXPECT_EQ(found_in({"Mul", "Add", "Add"}), 0U);
  EXPECT_EQ(found_in({"Add", "Mul", "Add"}), 1U);
  EXPECT_EQ(found_in({"Add", "Add", "Add", "Add", "Mul"}), 4U);
}

TEST(RefusedNode, IsTheFirstOfSeveral) { EXPECT_EQ(found_in({"Add", "Mul", "Add", "Mul", "Mul"}), 1U); }

TEST(RefusedNode, IsLookedForWhenTheNamedOneDoesNotExist) {
  EXPECT_EQ(found_in({"Add", "Mul", "Add"}, 7), 1U);
}

}  // namespace
}  // namespace dycl::compile_subnets
