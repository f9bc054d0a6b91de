// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/fragment_from_onnx.h"

#include <gmock/gmock.h>

#include "support/onnx_builder.h"
#include "support/rough_inference.h"

namespace dycl::import_onnx {
namespace {

using ::testing::HasSubstr;

// A function with the graph's nodes and value_info.
onnx::FunctionProto function_of(const test::OnnxGraph& graph, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  onnx::FunctionProto function;
  function.set_name("leaf");
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  *function.mutable_node() = graph.proto().node();
  *function.mutable_value_info() = graph.proto().value_info();
  onnx::OperatorSetIdProto* opset = function.add_opset_import();
  opset->set_version(18);
  return function;
}

Result<FragmentPtr> read(const onnx::FunctionProto& function, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, TypeInference* inference = nullptr) {
  auto types = fragment_types(inputs, outputs);
  EXPECT_TRUE(types) << to_string(types.error());
  return fragment_from_onnx(function.SerializeAsString(), *std::move(types), {"leaf", "key", "{}"},
                            inference);
}

test::OnnxGraph scaled() {
  test::OnnxGraph graph;
  graph.node("Constant", {}, {"c"}, {test::attribute("value", test::f32({}, {0.5F}))});
  graph.node("Mul", {"x", "c"}, {"m"});
  graph.node("Relu", {"m"}, {"y"});
  return graph;
}

TEST(FragmentFromOnnx, TakesConstantsVersionsAndTypes) {
  test::RoughInference inference;
  const auto fragment = read(function_of(scaled(), {"x"}, {"y"}), {"f32[n,3]"}, {"f32[n,3]"}, &inference);
  ASSERT_TRUE(fragment) << to_string(fragment.error());
  const Fragment& leaf = **fragment;
  EXPECT_EQ(leaf.key, "key");
  EXPECT_EQ(leaf.aten, "{}");
  ASSERT_EQ(leaf.ops.size(), 2U);
  EXPECT_EQ(leaf.ops[0].name, "Mul");
  EXPECT_EQ(leaf.ops[0].version, 14);
  ASSERT_EQ(leaf.constants.size(), 1U);
  EXPECT_EQ(leaf.symbols.size(), 1U) << "one name is one symbol";
  EXPECT_EQ(leaf.type_of(leaf.outputs[0]), leaf.type_of(leaf.inputs[0]));
  EXPECT_EQ(leaf.type_of(leaf.ops[0].outputs[0]).tensor()->dtype, DType::F32);
  EXPECT_EQ(fragment_defect(leaf), "");
}

TEST(FragmentFromOnnx, BelievesTheFunctionsOwnTypes) {
  test::OnnxGraph graph = scaled();
  graph.value("m", test::tensor_type(DType::F32, {2, 3}));
  const auto fragment = read(function_of(graph, {"x"}, {"y"}), {"f32[2,3]"}, {"f32[2,3]"});
  ASSERT_TRUE(fragment) << to_string(fragment.error());
  EXPECT_TRUE((*fragment)->type_of((*fragment)->ops[0].outputs[0]).tensor()->is_static());
}

TEST(FragmentFromOnnx, CopiesWhatIsPassedThroughOrGivenTwice) {
  test::OnnxGraph graph;
  graph.node("Relu", {"x"}, {"y"});
  const std::vector<std::string> types(3, "f32[2]");
  const auto fragment = read(function_of(graph, {"x"}, {"y", "x", "y"}), {"f32[2]"}, types);
  ASSERT_TRUE(fragment) << to_string(fragment.error());
  ASSERT_EQ((*fragment)->ops.size(), 3U);
  EXPECT_EQ((*fragment)->ops[1].name, "Identity");
  EXPECT_EQ((*fragment)->ops[2].name, "Identity");
  EXPECT_EQ(fragment_defect(**fragment), "");
}

void expect_refused(const Result<FragmentPtr>& fragment, const std::string& words) {
  ASSERT_FALSE(fragment);
  EXPECT_EQ(fragment.error().code, "onnx.bad_fragment");
  EXPECT_THAT(fragment.error().message, HasSubstr(words));
}

TEST(FragmentFromOnnx, RefusesWhatItCannotBe) {
  const std::vector<std::string> one{"f32[2]"};
  test::OnnxGraph unknown;
  unknown.node("NoSuchThing", {"x"}, {"y"});
  expect_refused(read(function_of(unknown, {"x"}, {"y"}), one, one), "no ONNX operator 'NoSuchThing'");
  test::OnnxGraph early;
  early.node("Relu", {"later"}, {"y"}).node("Relu", {"x"}, {"later"});
  expect_refused(read(function_of(early, {"x"}, {"y"}), one, one), "'later' is used before it is defined");
  test::OnnxGraph twice;
  twice.node("Relu", {"x"}, {"y"}).node("Relu", {"x"}, {"y"});
  expect_refused(read(function_of(twice, {"x"}, {"y"}), one, one), "'y' is defined twice");
  test::OnnxGraph fine;
  fine.node("Relu", {"x"}, {"y"});
  expect_refused(read(function_of(fine, {"x"}, {"z"}), one, one), "the output 'z' is not defined");
  expect_refused(read(function_of(fine, {"x"}, {"y"}), {}, one), "another number of inputs");
}

TEST(FragmentFromOnnx, RefusesControlFlow) {
  test::OnnxGraph branch("branch");
  branch.node("Relu", {"x"}, {"r"}).output("r", DType::F32, {2});
  test::OnnxGraph graph;
  graph.node("If", {"c"}, {"y"},
             {test::attribute("then_branch", branch), test::attribute("else_branch", branch)});
  const auto fragment = read(function_of(graph, {"x", "c"}, {"y"}), {"f32[2]", "bool[]"}, {"f32[2]"});
  EXPECT_FALSE(fragment);
}

TEST(FragmentFromOnnx, RefusesBytesThatAreNoFunction) {
  auto types = fragment_types({}, {});
  ASSERT_TRUE(types);
  EXPECT_FALSE(fragment_from_onnx("\xff\xff\xff", *std::move(types), {"leaf", "key", ""}));
}

}  // namespace
}  // namespace dycl::import_onnx
