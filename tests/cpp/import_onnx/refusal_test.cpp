// SPDX-License-Identifier: Apache-2.0
// Every construct that the ONNX frontend refuses, with its message and position.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_onnx/import_onnx.h"
#include "import_onnx/read_model.h"
#include "support/onnx_builder.h"
#include "support/rough_inference.h"

namespace dycl::test {
namespace {

using ::testing::HasSubstr;

Diagnostic refusal_of(const onnx::ModelProto& model,
                      const import_onnx::OnnxImportOptions& options = {"m.onnx", {}, {}, {}}) {
  RoughInference inference;
  auto result = import_onnx::import_onnx(model, inference, options);
  EXPECT_FALSE(result);
  return result ? Diagnostic{} : result.error();
}

TEST(OnnxRefusal, AnUnknownOperatorIsNamedWithItsNode) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Frobnicate", {"x"}, {"y"}).output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.unknown_operator");
  EXPECT_EQ(to_string(error.span), "m.onnx: main/y (Frobnicate)");
  EXPECT_EQ(error.message, "there is no operator 'Frobnicate' in operator set 21");
}

TEST(OnnxRefusal, AnOperatorNewerThanTheModelsOpsetIsUnknown) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Gelu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refusal_of(make_model(graph, {11, 6})).code, "onnx.unknown_operator");
}

TEST(OnnxRefusal, AValueThatNothingDefines) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Relu", {"later"}, {"y"}).output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.undefined_value");
  EXPECT_THAT(error.message, HasSubstr("'later'"));
  EXPECT_EQ(error.span.node, "main/y (Relu)");
}

TEST(OnnxRefusal, AMapInput) {
  OnnxGraph graph;
  onnx::TypeProto map;
  map.mutable_map_type()->set_key_type(7);
  graph.input("x", map).output("x");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.unsupported_type");
  EXPECT_THAT(error.message, HasSubstr("input 'x'"));
}

TEST(OnnxRefusal, ARecursiveFunction) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("F", {"x"}, {"y"}, {}, "mine").output("y");
  onnx::ModelProto model = make_model(graph);
  onnx::FunctionProto* function = model.add_functions();
  function->set_domain("mine");
  function->set_name("F");
  function->add_input("a");
  function->add_output("b");
  onnx::NodeProto* node = function->add_node();
  node->set_domain("mine");
  node->set_op_type("F");
  node->add_input("a");
  node->add_output("b");
  const Diagnostic error = refusal_of(model);
  EXPECT_EQ(error.code, "onnx.recursive_function");
  EXPECT_EQ(error.span.node, "main/F/b (F)");
}

TEST(OnnxRefusal, ATensorOperatorOnASequence) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2})
      .node("SequenceConstruct", {"x"}, {"s"})
      .node("Relu", {"s"}, {"y"})
      .output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.operator_on_sequence");
  EXPECT_EQ(error.message, "Relu cannot take a sequence");
}

TEST(OnnxRefusal, BranchesWithDifferentElementTypes) {
  OnnxGraph graph;
  OnnxGraph floats("t");
  floats.node("Identity", {"x"}, {"r"}).output("r");
  OnnxGraph ints("e");
  ints.node("Identity", {"n"}, {"r"}).output("r");
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2}).input("n", DType::I64, {2});
  graph.node("If", {"c"}, {"y"}, {attribute("then_branch", floats), attribute("else_branch", ints)})
      .output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "hcfg.types_do_not_join");
  EXPECT_EQ(error.message, "values of different types meet: f32[2] and i64[2]");
  EXPECT_EQ(error.span.node, "main/y (If)");
}

TEST(OnnxRefusal, ScanOfOpset8WithSequenceLengths) {
  OnnxGraph body("body");
  body.input("s", DType::F32, {})
      .input("x", DType::F32, {})
      .node("Add", {"s", "x"}, {"t"})
      .output("t")
      .output("t");
  OnnxGraph graph;
  graph.input("l", DType::I64, {1}).input("s", DType::F32, {1}).input("x", DType::F32, {1, 3});
  graph.node("Scan", {"l", "s", "x"}, {"a", "b"}, {attribute("body", body), attribute("num_scan_inputs", 1)})
      .output("a");
  EXPECT_EQ(refusal_of(make_model(graph, {8, 3})).code, "onnx.scan8_sequence_lens");
}

TEST(OnnxRefusal, AnIfWithoutItsBranches) {
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).node("If", {"c"}, {"y"}).output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.bad_subgraph");
  EXPECT_EQ(error.message, "If lacks its subgraph 'then_branch'");
}

TEST(OnnxRefusal, ALoopBodyThatDoesNotFit) {
  OnnxGraph body("body");
  body.input("i", DType::I64, {}).node("Identity", {"i"}, {"o"}).output("o");
  OnnxGraph graph;
  graph.input("n", DType::I64, {}).input("x", DType::F32, {2});
  graph.node("Loop", {"n", "", "x"}, {"y"}, {attribute("body", body)}).output("y");
  EXPECT_EQ(refusal_of(make_model(graph)).code, "onnx.bad_subgraph");
}

TEST(OnnxRefusal, APinForAnInputThatIsNotThere) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Relu", {"x"}, {"y"}).output("y");
  const Diagnostic error = refusal_of(make_model(graph), {"m.onnx", {}, {{"z", {DType::F32, {2}}}}, {}});
  EXPECT_EQ(error.code, "onnx.no_such_input");
  EXPECT_EQ(error.message, "the model has no input 'z'");
}

TEST(OnnxRefusal, ATripCountThatIsNoNumber) {
  OnnxGraph body("body");
  body.input("i", DType::I64, {}).input("c", DType::Bool, {}).node("Identity", {"c"}, {"d"}).output("d");
  OnnxGraph graph;
  graph.input("n", DType::C64, {}).node("Loop", {"n", ""}, {}, {attribute("body", body)});
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.bad_operand");
  EXPECT_EQ(error.message, "its element type has no scalar");
  EXPECT_EQ(error.span.node, "main/Loop (Loop)");
}

TEST(OnnxRefusal, APinForADimThatNoInputHas) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"batch"}).node("Relu", {"x"}, {"y"}).output("y");
  const Diagnostic error = refusal_of(make_model(graph), {"m.onnx", {}, {}, {{"bach", {2, 2}}}});
  EXPECT_EQ(error.code, "onnx.no_such_dim");
  EXPECT_EQ(error.message, "no input has a dim named 'bach'");
}

TEST(OnnxRefusal, AnInputsSizeOutsideTheRangeOfItsDim) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"batch"}).node("Relu", {"x"}, {"y"}).output("y");
  for (const DimRange range : {DimRange{1, 8}, DimRange{3, 3}}) {
    const Diagnostic error =
        refusal_of(make_model(graph), {"m.onnx", {}, {{"x", {DType::F32, {9}}}}, {{"batch", range}}});
    EXPECT_EQ(error.code, "onnx.dim_contradicts");
    EXPECT_EQ(error.message, "input 'x' is given size 9 in dim 0, but batch must be " + to_string(range));
  }
}

TEST(OnnxRefusal, APortWhoseNameIsNotUtf8) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Relu", {"x"}, {"y\xFF"}).output("y\xFF");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.not_utf8");
  EXPECT_EQ(error.message, "the name 'y?' is not UTF-8");
}

TEST(OnnxRefusal, APinThatContradictsTheModel) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refusal_of(make_model(graph), {"m.onnx", {}, {{"x", {DType::F32, {3}}}}, {}}).code,
            "onnx.input_contradicts");
}

TEST(OnnxRefusal, BytesThatAreNoModel) {
  for (const char* bytes : {"", "not an onnx file", "\x08"}) {
    const auto model = import_onnx::read_model_bytes(bytes, "m.onnx");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, "onnx.not_a_model");
  }
}

TEST(OnnxRefusal, SubgraphsNestedTooDeep) {
  OnnxGraph innermost("leaf");
  innermost.node("Identity", {"x"}, {"r"}).output("r");
  OnnxGraph nested = innermost;
  for (int depth = 0; depth < 210; ++depth) {
    OnnxGraph outer("level");
    outer.node("If", {"c"}, {"r"}, {attribute("then_branch", nested), attribute("else_branch", innermost)})
        .output("r");
    nested = outer;
  }
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2});
  graph.node("If", {"c"}, {"y"}, {attribute("then_branch", nested), attribute("else_branch", innermost)})
      .output("y");
  const Diagnostic error = refusal_of(make_model(graph));
  EXPECT_EQ(error.code, "onnx.nested_too_deep");
  EXPECT_EQ(error.message, "subgraphs and functions are nested more than 200 deep");
}

// One field of a message: its number and what it holds.
std::string field(int number, const std::string& contents) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  for (std::size_t rest = contents.size(); true; rest >>= 7U) {
    text += static_cast<char>((rest & 0x7fU) | (rest > 0x7f ? 0x80U : 0U));
    if (rest <= 0x7f) return text + contents;
  }
}

TEST(OnnxRefusal, SubgraphsNestedThousandsDeep) {
  const std::string then_branch = field(1, "then_branch");
  for (const int depth : {1'000, 3'000}) {
    std::string graph;
    for (int level = 0; level < depth; ++level)
      graph = field(1, field(5, then_branch + field(6, graph)) + field(4, "If"));
    const auto model = import_onnx::read_model_bytes(field(7, graph), "m.onnx");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, "onnx.not_a_model");
    EXPECT_THAT(model.error().message, HasSubstr("nested more than 200 deep"));
  }
}

// F0 calls F1, which calls F2 and so on; each calls the next `calls` times, one after the other.
onnx::ModelProto chain_of_functions(int length, int calls) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("F0", {"x"}, {"y"}, {}, "mine").output("y");
  onnx::ModelProto model = make_model(graph);
  for (int index = 0; index < length; ++index) {
    onnx::FunctionProto* function = model.add_functions();
    function->set_domain("mine");
    function->set_name("F" + std::to_string(index));
    function->add_input("v0");
    function->add_output("v" + std::to_string(calls));
    auto* opset = function->add_opset_import();
    opset->set_version(21);
    for (int call = 0; call < calls; ++call) {
      onnx::NodeProto* node = function->add_node();
      const bool last = index + 1 == length;
      if (!last) node->set_domain("mine");
      node->set_op_type(last ? "Relu" : "F" + std::to_string(index + 1));
      node->add_input("v" + std::to_string(call));
      node->add_output("v" + std::to_string(call + 1));
    }
  }
  return model;
}

TEST(OnnxRefusal, FunctionsThatCallEachOtherThousandsDeep) {
  const Diagnostic error = refusal_of(chain_of_functions(5'000, 1));
  EXPECT_EQ(error.code, "onnx.nested_too_deep");
  EXPECT_EQ(error.message, "subgraphs and functions are nested more than 200 deep");
  EXPECT_THAT(error.hint, HasSubstr("call fewer functions from functions"));
  EXPECT_THAT(error.span.node, ::testing::MatchesRegex("main/F0/F1/F2/.*/…/.*/F199/v1 \\(F200\\)"));
  EXPECT_LT(error.span.node.size(), 200U);
}

TEST(OnnxRefusal, FunctionsThatExpandWithoutLimit) {
  const Diagnostic error = refusal_of(chain_of_functions(40, 2));
  EXPECT_EQ(error.code, "onnx.too_many_nodes");
  EXPECT_EQ(error.message, "model-local functions expand to more than 100000 nodes");
  EXPECT_THAT(error.hint, HasSubstr("expanded twice"));
}

TEST(OnnxRefusal, IsNotForFunctionsWithinTheLimits) {
  for (const auto& [length, calls] : {std::pair(200, 1), std::pair(12, 2)}) {
    RoughInference inference;
    const auto graph =
        import_onnx::import_onnx(chain_of_functions(length, calls), inference, {"m.onnx", {}, {}, {}});
    EXPECT_TRUE(graph) << to_string(graph.error());
  }
}

}  // namespace
}  // namespace dycl::test
