// SPDX-License-Identifier: Apache-2.0
// What the command line shows of a host plan, and the values it feeds to one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/artifact_summary.h"
#include "cli/plan_blocks.h"
#include "cli/program_inputs.h"
#include "cli/program_outputs.h"

namespace dycl::cli {
namespace {

using ::testing::HasSubstr;

PlanInstruction instruction(PlanOperation operation) { return {std::move(operation), {}, {}}; }

// if (condition) return s0(x) else raise
Artifact branching_program() {
  Artifact artifact;
  artifact.producer = "dycl 0";
  artifact.origin = "m.onnx";
  artifact.backends["onnxruntime"] = {"1.0", true};
  HostPlan& plan = artifact.plan;
  plan.symbols = {{"batch", {1, 8}}};
  plan.slots = {TensorType{}, ScalarType{}, TensorType{}};
  plan.inputs = {{"x", TensorType{DType::F32, std::vector<Dim>{Dim(SymbolId(0)), 3}, {}, {}}, 0, false},
                 {"flag", ScalarType{ScalarKind::Bool}, 1, false},
                 {"more", seq_of(TensorType{}), 2, true}};
  plan.outputs = {{"y", TensorType{DType::F32, std::nullopt, {}, {}}, 2, false}};
  plan.subnets = {{"s0", "abc", "onnxruntime", {}}};
  plan.code = {instruction(PlanBranch{1, {1, {}, {}}, {3, {}, {}}}), instruction(PlanCall{0, {0}, {2}}),
               instruction(PlanReturn{{2}}), instruction(PlanRaise{"ValueError", "no \"luck\"", {}})};
  artifact.subnets["abc"] = {"graph", {}, {}};
  return artifact;
}

TEST(PlanBlocks, FindsBlocksAtEdgeTargetsAndAfterTransfers) {
  const auto blocks = blocks_of(branching_program().plan);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].begin, 1u);
  EXPECT_EQ(blocks[1].end, 3u);
}

TEST(PlanBlocks, SurvivesAnEmptyPlan) { EXPECT_TRUE(blocks_of(HostPlan{}).empty()); }

TEST(ArtifactSummary, NamesInputsWithSymbolsBackendsAndSubnets) {
  const std::string text = artifact_text(branching_program());
  EXPECT_THAT(text, HasSubstr("x: f32[batch=1..8,3]"));
  EXPECT_THAT(text, HasSubstr("more: seq<"));
  EXPECT_THAT(text, HasSubstr("(may be left out)"));
  EXPECT_THAT(text, HasSubstr("3 blocks, 1 sub-DNN (1 distinct)"));
  EXPECT_THAT(text, HasSubstr("onnxruntime 1.0"));
}

TEST(ArtifactSummary, SaysTheSameAsJson) {
  const nlohmann::json document = artifact_json(branching_program());
  EXPECT_EQ(document["blocks"], 3);
  EXPECT_EQ(document["inputs"][0]["type"], "f32[batch=1..8,3]");
  EXPECT_EQ(document["subnets"][0]["backend"], "onnxruntime");
}

TEST(ArtifactDot, DrawsBlocksEdgesAndEscapesQuotes) {
  const std::string dot = artifact_dot(branching_program());
  EXPECT_THAT(dot, HasSubstr("b0 -> b1 [label=\"then\"]"));
  EXPECT_THAT(dot, HasSubstr("b0 -> b3 [label=\"else\"]"));
  EXPECT_THAT(dot, HasSubstr("no \\\"luck\\\""));
}

Result<std::vector<RuntimeValue>> read(std::vector<std::string> inputs) {
  static const Artifact artifact = branching_program();
  return read_inputs(artifact.plan, {std::move(inputs), ""});
}

TEST(ProgramInputs, AreOrderedAndTypedAsThePlanSays) {
  const auto values = read({"flag=bool=true", "x=1x3xf32"});
  ASSERT_TRUE(values) << values.error().message;
  ASSERT_EQ(values->size(), 3u);
  EXPECT_NE((*values)[0].tensor(), nullptr);
  ASSERT_NE((*values)[1].scalar(), nullptr);
  EXPECT_EQ(*(*values)[1].scalar(), Scalar(true));
  EXPECT_FALSE((*values)[2].has_value());
}

TEST(ProgramInputs, TakeSequences) {
  const auto values = read({"flag=bool=true", "x=1x3xf32", "more=[1xf32=1,1xf32=2]"});
  ASSERT_TRUE(values);
  ASSERT_NE((*values)[2].items(), nullptr);
  EXPECT_EQ((*values)[2].items()->size(), 2u);
}

TEST(ProgramInputs, AreRefusedByName) {
  EXPECT_THAT(read({"flag=bool=true"}).error().message, HasSubstr("'x' is missing"));
  EXPECT_THAT(read({"z=f32"}).error().message, HasSubstr("no input 'z'"));
  EXPECT_THAT(read({"z=f32"}).error().hint, HasSubstr("x: f32[batch=1..8,3]"));
  EXPECT_THAT(read({"x=1x3xf32", "x=1x3xf32"}).error().message, HasSubstr("given twice"));
}

TEST(ProgramOutputs, PrintSequencesAnElementPerLine) {
  const RuntimeValue sequence =
      RuntimeValue::sequence({Scalar(std::int64_t{3}), NoValue{}, std::string("hi")});
  EXPECT_EQ(value_text("y", sequence), "y: sequence of 3\n  y.0: 3\n  y.1: none\n  y.2: \"hi\"\n");
  NamedTensors tensors;
  append_tensors("y", sequence, tensors);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].first, "y.0");
  EXPECT_EQ(tensors[1].first, "y.2");
}

}  // namespace
}  // namespace dycl::cli
