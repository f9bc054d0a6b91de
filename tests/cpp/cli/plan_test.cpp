// SPDX-License-Identifier: Apache-2.0
// What the command line shows of a host plan, and the values it feeds to one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/artifact_summary.h"
#include "cli/program_inputs.h"
#include "cli/program_outputs.h"
#include "package/plan_flow.h"

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
  plan.inputs = {{"x", TensorType{DType::F32, std::vector<Dim>{Dim(SymbolId(0)), 3}, {}}, 0, false},
                 {"flag", ScalarType{ScalarKind::Bool}, 1, false},
                 {"more", seq_of(TensorType{}), 2, true}};
  plan.outputs = {{"y", TensorType{DType::F32, std::nullopt, {}}, 2, false}};
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

// if (flag) return {"logits": x, "level": 2} else return (flag, x, x)
Artifact structured_program() {
  Artifact artifact;
  HostPlan& plan = artifact.plan;
  plan.slots = {TensorType{DType::F32, std::vector<Dim>{Dim(2)}, {}}, ScalarType{ScalarKind::Bool}};
  plan.inputs = {{"x", plan.slots[0], 0, false}, {"flag", plan.slots[1], 1, false}};
  const ResultDict dict{{{ResultConstant("logits"), ResultValue{0}},
                         {ResultConstant("level"), ResultConstant(std::int64_t{2})}}};
  const ResultList tuple{ResultListKind::Tuple, {ResultValue{0}, ResultValue{1}, ResultValue{1}}};
  plan.code = {instruction(PlanBranch{1, {1, {}, {}}, {2, {}, {}}}),
               instruction(PlanReturn{{0}, std::make_shared<const ResultNode>(dict)}),
               instruction(PlanReturn{{1, 0}, std::make_shared<const ResultNode>(tuple)})};
  plan.code[1].source = {"model.py", 7, 3, ""};
  return artifact;
}

TEST(ArtifactSummary, ShowsWhatEachReturnGives) {
  const std::string text = artifact_text(structured_program());
  EXPECT_THAT(text, HasSubstr("  return at model.py:7\n    logits: f32[2]\n    level: 2\n"));
  EXPECT_THAT(text, HasSubstr("  return\n    0: bool\n    1: f32[2]\n"));
  const nlohmann::json document = artifact_json(structured_program());
  ASSERT_EQ(document["returns"].size(), 2u);
  EXPECT_EQ(document["returns"][0]["line"], 7);
  EXPECT_EQ(document["returns"][1]["outputs"][1]["name"], "1");
  EXPECT_EQ(document["returns"][0]["structure"].dump(), R"({"dict":[["logits",{"value":0}],["level",2]]})");
  EXPECT_TRUE(artifact_json(branching_program())["returns"].empty());
}

TEST(ProgramOutputs, AreNamedByTheReturnThatWasTaken) {
  const HostPlan plan = structured_program().plan;
  const std::vector<runtime::RuntimeValue> outputs{Scalar(true), Scalar(0.5)};
  const auto named = runtime::named_outputs(plan, std::get<PlanReturn>(plan.code[2].operation), outputs);
  const nlohmann::json list = outputs_json(named);
  EXPECT_EQ(list.dump(), R"([{"name":"0","text":"True","value":"bool"},)"
                         R"({"name":"1","text":"0.5","value":"float"},)"
                         R"({"name":"2","text":"0.5","value":"float"}])");
  const auto other =
      runtime::named_outputs(plan, std::get<PlanReturn>(plan.code[1].operation), {outputs.data(), 1});
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(value_text(other[0].name, other[0].value), "logits: True\n");
  EXPECT_EQ(value_text(other[1].name, other[1].value), "level: 2\n");
}

TEST(ProgramOutputs, OfAProgramWithoutStructuresHaveItsNames) {
  const HostPlan plan = branching_program().plan;
  const std::vector<runtime::RuntimeValue> outputs{Scalar(true)};
  const auto named = runtime::named_outputs(plan, std::get<PlanReturn>(plan.code[2].operation), outputs);
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].name, "y");
}

Result<std::vector<runtime::RuntimeValue>> read(std::vector<std::string> inputs) {
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
  const runtime::RuntimeValue sequence =
      runtime::RuntimeValue::sequence({Scalar(std::int64_t{3}), runtime::NoValue{}, std::string("hi")});
  EXPECT_EQ(value_text("y", sequence), "y: sequence of 3\n  y.0: 3\n  y.1: none\n  y.2: \"hi\"\n");
  NamedTensors tensors;
  append_tensors("y", sequence, tensors);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].first, "y.0");
  EXPECT_EQ(tensors[1].first, "y.2");
}

}  // namespace
}  // namespace dycl::cli
