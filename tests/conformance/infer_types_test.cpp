// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::attribute;
using test::OnnxDim;
using test::OnnxGraph;

bool refused_here(const BackendGraph& graph) {
  const auto refusal = subject().check(graph);
  if (!refusal || !*refusal) return false;
  expect_known_refusal(Answer{Answer::Kind::Refused, "infer_types", (*refusal)->reason, {}});
  return true;
}

// "f32[2,n,?]", "f32[*]"
std::string text_of(const InferredType& type) {
  std::string text(name_of(type.dtype));
  if (!type.dims) return text + "[*]";
  text += "[";
  for (const InferredDim& dim : *type.dims) {
    if (text.back() != '[') text += ",";
    text += dim.size >= 0 ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return text + "]";
}

std::string inferred(const OnnxGraph& graph) {
  const BackendGraph bytes = graph_of(graph);
  if (refused_here(bytes)) return "refused";
  const auto types = subject().infer_types(bytes);
  if (!types) return to_string(types.error());
  std::string text;
  for (const InferredType& type : *types) text += (text.empty() ? "" : " ") + text_of(type);
  return text;
}

void expect_types(const OnnxGraph& graph, const std::string& expected) {
  const std::string got = inferred(graph);
  if (got != "refused") {
    EXPECT_EQ(got, expected);
  }
}

TEST(InferTypes, KeepsSymbolsOfInputs) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n", 2}).input("y", DType::F32, {"n", 2});
  graph.node("Add", {"x", "y"}, {"sum"}).node("Less", {"x", "y"}, {"less"});
  graph.output("sum").output("less");
  expect_types(graph, "f32[n,2] bool[n,2]");
}

TEST(InferTypes, FollowsTransposeAndMatrixProduct) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n", 3}).input("w", DType::F32, {3, "m"});
  graph.node("MatMul", {"x", "w"}, {"p"});
  graph.node("Transpose", {"p"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{1, 0})});
  graph.output("t");
  expect_types(graph, "f32[m,n]");
}

TEST(InferTypes, LeavesDataDependentSizesOpen) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).node("NonZero", {"x"}, {"y"}).output("y");
  const std::string got = inferred(graph);
  if (got == "refused") return;
  EXPECT_TRUE(got == "i64[1,?]") << got;
}

TEST(InferTypes, TellsAScalarFromAnUnknownRank) {
  OnnxGraph scalar;
  scalar.input("x", DType::F32, {}).node("Identity", {"x"}, {"y"}).output("y");
  expect_types(scalar, "f32[]");
  OnnxGraph unranked;
  unranked.input("x", test::unranked_type(DType::F32)).node("Identity", {"x"}, {"y"}).output("y");
  expect_types(unranked, "f32[*]");
}

TEST(InferTypes, ReadsShapesFromConstants) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2, 6}).initializer("shape", test::i64({3}, {3, 2, 2}));
  graph.node("Reshape", {"x", "shape"}, {"y"}).output("y");
  expect_types(graph, "f32[3,2,2]");
}

TEST(InferTypes, ReadsShapesFromWeightsPassedBesideTheGraph) {
  OnnxGraph graph;
  const TensorData shape = test::i64({2}, {3, 4});
  graph.input("x", DType::F32, {12}).external_initializer("shape", shape);
  graph.node("Reshape", {"x", "shape"}, {"y"}).output("y");
  BackendGraph bytes = graph_of(graph);
  bytes.weights.emplace_back("shape", std::make_shared<const TensorData>(shape));
  if (refused_here(bytes)) return;
  const auto types = subject().infer_types(bytes);
  ASSERT_TRUE(types) << to_string(types.error());
  EXPECT_EQ(text_of(types->at(0)), "f32[3,4]");
}

TEST(InferTypes, IsEmptyForAGraphWithoutOutputs) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Identity", {"x"}, {"y"});
  const BackendGraph bytes = graph_of(graph);
  if (refused_here(bytes)) return;
  const auto types = subject().infer_types(bytes);
  ASSERT_TRUE(types) << to_string(types.error());
  EXPECT_TRUE(types->empty());
}

TEST(InferTypes, ReportsContradictions) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2, 3}).input("y", DType::F32, {4, 5});
  graph.node("MatMul", {"x", "y"}, {"p"}).output("p");
  const BackendGraph bytes = graph_of(graph);
  const auto refusal = subject().check(bytes);
  EXPECT_TRUE(!refusal || *refusal);
  EXPECT_FALSE(subject().infer_types(bytes));
}

}  // namespace
}  // namespace dycl::conformance
