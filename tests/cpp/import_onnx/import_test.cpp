// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hcfg/control_flow.h"
#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "import_onnx/import_onnx.h"
#include "support/onnx_builder.h"
#include "support/rough_inference.h"

namespace dycl::test {
namespace {

Hcfg import(const OnnxGraph& graph, OnnxModelOptions options = {}) {
  RoughInference inference;
  auto result = import_onnx::import_onnx(make_model(graph, options), inference, {"m.onnx", {}, {}, {}});
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  if (!result) return {};
  const Status legal = verify(*result);
  EXPECT_TRUE(legal) << (legal ? "" : to_string(legal.error())) << "\n" << print(*result);
  return std::move(*result);
}

std::size_t count_host_ops(const Hcfg& graph, HostOp op) {
  std::size_t count = 0;
  for (const Block& block : graph.blocks)
    for (const Step& step : block.steps)
      if (const auto* host = std::get_if<HostStep>(&step)) count += host->op == op ? 1 : 0;
  return count;
}

OnnxGraph branch_giving(const char* name, const char* value) {
  OnnxGraph graph(name);
  graph.node("Identity", {value}, {"r"}).output("r");
  return graph;
}

TEST(ImportOnnx, AGraphWithoutControlFlowIsOneBlockWithOneSubnet) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2, 3}).node("Relu", {"x"}, {"h"}).node("Relu", {"h"}, {"y"}).output("y");
  const Hcfg hcfg = import(graph);
  ASSERT_EQ(hcfg.blocks.size(), 1U);
  ASSERT_EQ(hcfg.blocks[0].steps.size(), 1U);
  EXPECT_EQ(std::get<SubnetStep>(hcfg.blocks[0].steps[0]).ops.size(), 2U);
}

Hcfg import_with_dims(const OnnxGraph& graph, std::map<std::string, DimRange> dims,
                      std::map<std::string, TensorSpec> inputs = {}) {
  RoughInference inference;
  auto result = import_onnx::import_onnx(make_model(graph), inference,
                                         {"m.onnx", {}, std::move(inputs), std::move(dims)});
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  if (!result) return {};
  const Status legal = verify(*result);
  EXPECT_TRUE(legal) << (legal ? "" : to_string(legal.error())) << "\n" << print(*result);
  return std::move(*result);
}

OnnxGraph over_dims(const std::vector<OnnxDim>& dims) {
  OnnxGraph graph;
  graph.input("x", DType::F32, dims).input("xs", sequence_type(tensor_type(DType::F32, dims)));
  graph.node("Relu", {"x"}, {"y"}).output("y");
  return graph;
}

TEST(ImportOnnx, ADimWithARangeStaysASymbol) {
  const Hcfg hcfg = import_with_dims(over_dims({"batch", 2}), {{"batch", {1, 8}}});
  const auto symbol = hcfg.inputs.at(0).type.tensor()->dims->at(0).as_symbol();
  ASSERT_TRUE(symbol);
  EXPECT_EQ(hcfg.symbols.at(symbol->index()).range, (DimRange{1, 8}));
  EXPECT_NE(print(hcfg).find("  range batch = 1..8\n"), std::string::npos) << print(hcfg);
}

TEST(ImportOnnx, ADimWithOneSizeIsPinnedInsideSequencesToo) {
  const Hcfg hcfg = import_with_dims(over_dims({"batch", 2}), {{"batch", {4, 4}}});
  EXPECT_EQ(hcfg.inputs.at(0).type.tensor()->dims->at(0), Dim(4));
  EXPECT_EQ(hcfg.inputs.at(1).type.seq()->element->tensor()->dims->at(0), Dim(4));
}

TEST(ImportOnnx, ADimWithoutANameIsNotPinnedByTheNameWeGiveIt) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"d", OnnxDim::unknown()}).node("Relu", {"x"}, {"y"}).output("y");
  const Hcfg hcfg = import_with_dims(graph, {{"d", {4, 4}}});
  const std::vector<Dim>& dims = *hcfg.inputs.at(0).type.tensor()->dims;
  EXPECT_EQ(dims[0], Dim(4));
  EXPECT_FALSE(dims[1].is_static());
}

TEST(ImportOnnx, ARangeAndAFittingInputLeaveNoSymbol) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"batch"}).node("Relu", {"x"}, {"y"}).output("y");
  const Hcfg hcfg = import_with_dims(graph, {{"batch", {1, 8}}}, {{"x", {DType::F32, {8}}}});
  EXPECT_EQ(hcfg.inputs.at(0).type.tensor()->dims->at(0), Dim(8));
}

TEST(ImportOnnx, IfBecomesADiamondWhoseJoinTakesTheResult) {
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2}).input("z", DType::F32, {2});
  graph.node(
      "If", {"c"}, {"y"},
      {attribute("then_branch", branch_giving("t", "x")), attribute("else_branch", branch_giving("e", "z"))});
  graph.output("y");
  const Hcfg hcfg = import(graph);
  ASSERT_EQ(hcfg.blocks.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<Branch>(hcfg.blocks[0].terminator));
  const Type& joined = hcfg.type_of(hcfg.blocks[3].parameters.at(0));
  EXPECT_EQ(joined, Type(TensorType{DType::F32, std::vector<Dim>{2}, {}}));
}

TEST(ImportOnnx, BranchesOfDifferentSizeJoinAsAFreshSymbol) {
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2}).input("z", DType::F32, {3});
  graph.node(
      "If", {"c"}, {"y"},
      {attribute("then_branch", branch_giving("t", "x")), attribute("else_branch", branch_giving("e", "z"))});
  graph.output("y");
  const Hcfg hcfg = import(graph);
  const TensorType* joined = hcfg.outputs.at(0).type.tensor();
  ASSERT_NE(joined, nullptr);
  ASSERT_TRUE(joined->dims);
  EXPECT_FALSE(joined->dims->at(0).is_static());
}

TEST(ImportOnnx, BranchesOfDifferentRankJoinUnranked) {
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2}).input("z", DType::F32, {3, 3});
  graph.node(
      "If", {"c"}, {"y"},
      {attribute("then_branch", branch_giving("t", "x")), attribute("else_branch", branch_giving("e", "z"))});
  graph.output("y");
  EXPECT_FALSE(import(graph).outputs.at(0).type.tensor()->dims);
}

OnnxGraph loop_body(const char* op, std::vector<std::string> inputs) {
  OnnxGraph body("body");
  body.input("i", DType::I64, {}).input("go", DType::Bool, {}).input("h", unranked_type(DType::F32));
  body.node("Identity", {"go"}, {"go_out"})
      .node(op, std::move(inputs), {"h_out"})
      .node("Identity", {"h_out"}, {"row"});
  body.output("go_out").output("h_out").output("row");
  return body;
}

TEST(ImportOnnx, LoopBecomesACycleWithOneHeader) {
  OnnxGraph graph;
  graph.input("n", DType::I64, {}).input("go", DType::Bool, {}).input("x", DType::F32, {4});
  graph.node("Loop", {"n", "go", "x"}, {"y", "rows"}, {attribute("body", loop_body("Relu", {"h"}))});
  graph.output("y").output("rows");
  const Hcfg hcfg = import(graph);
  EXPECT_EQ(hcfg.blocks.size(), 4U);  // entry, header, body, exit
  EXPECT_EQ(control_flow(hcfg).predecessors[1].size(), 2U);
  EXPECT_EQ(count_host_ops(hcfg, HostOp::SeqConcat), 1U);
  EXPECT_EQ(hcfg.outputs[0].type, Type(TensorType{DType::F32, std::vector<Dim>{4}, {}}));
}

TEST(ImportOnnx, ACarriedValueWhoseRankChangesIsUnrankedInTheHeader) {
  OnnxGraph graph;
  graph.input("n", DType::I64, {}).input("go", DType::Bool, {}).input("x", DType::F32, {4});
  graph.node("Loop", {"n", "go", "x"}, {"y", "rows"}, {attribute("body", loop_body("Concat", {"h", "h"}))});
  graph.output("y").output("rows");
  EXPECT_FALSE(import(graph).outputs[0].type.tensor()->dims);
}

TEST(ImportOnnx, AFunctionIsExpandedWithItsAttributes) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2})
      .node("Twice", {"x"}, {"y"}, {attribute("slope", 0.5F)}, "mine")
      .output("y");
  onnx::ModelProto model = make_model(graph);
  model.add_opset_import()->set_domain("mine");
  onnx::FunctionProto* function = model.add_functions();
  function->set_domain("mine");
  function->set_name("Twice");
  function->add_input("a");
  function->add_output("b");
  function->add_attribute("slope");
  function->add_opset_import()->set_version(21);
  onnx::NodeProto* node = function->add_node();
  node->set_op_type("LeakyRelu");
  node->add_input("a");
  node->add_output("b");
  onnx::AttributeProto* alpha = node->add_attribute();
  alpha->set_name("alpha");
  alpha->set_ref_attr_name("slope");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  RoughInference inference;
  const auto hcfg = import_onnx::import_onnx(model, inference, {"m.onnx", {}, {}, {}});
  ASSERT_TRUE(hcfg) << to_string(hcfg.error());
  const auto& op = std::get<OnnxOp>(std::get<SubnetStep>(hcfg->blocks[0].steps[0]).ops[0]);
  EXPECT_EQ(op.name, "LeakyRelu");
  EXPECT_EQ(attribute_or<float>(op.attributes, "alpha", 0), 0.5F);
}

TEST(ImportOnnx, AnInitializerIsTheDefaultOfTheInputOfItsName) {
  for (const OnnxDim& declared : {OnnxDim(2), OnnxDim("n")}) {
    OnnxGraph graph;
    graph.input("x", DType::F32, {declared}).input("w", DType::F32, {declared});
    graph.initializer("w", f32({2}, {1, 2})).node("Add", {"x", "w"}, {"y"}).output("y");
    const Hcfg hcfg = import(graph);
    ASSERT_EQ(hcfg.inputs.size(), 2U);
    EXPECT_TRUE(hcfg.inputs[1].optional);
    EXPECT_EQ(hcfg.blocks.size(), 4U);
  }
}

TEST(ImportOnnx, PinnedSizesReplaceSymbols) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"batch", 3}).node("Relu", {"x"}, {"y"}).output("y");
  RoughInference inference;
  const auto hcfg =
      import_onnx::import_onnx(make_model(graph), inference, {"m.onnx", {}, {}, {{"batch", {8, 8}}}});
  ASSERT_TRUE(hcfg);
  EXPECT_EQ(hcfg->inputs[0].type, Type(TensorType{DType::F32, std::vector<Dim>{8, 3}, {}}));
}

}  // namespace
}  // namespace dycl::test
