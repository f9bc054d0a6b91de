// SPDX-License-Identifier: Apache-2.0
// Inputs that a return gives new contents, and state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hcfg/interpreter.h"
#include "hcfg/text.h"
#include "hcfg/tiny_evaluator.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::elements;
using testing_support::f32;

const char* kAccumulate = R"(hcfg main(%x: f32[2], state %sum: f32[2]) -> (y: f32[2]) {
  initial %sum = hex "0000803f00000040"
  b0:
    subnet s0 {
      %next: f32[2] = Add@14(%sum, %x)
      %back: f32[2] = Mul@14(%x, %x)
    }
    return %next writes %x = %back, %sum = %next
}
)";

Hcfg read_graph(std::string_view text) {
  auto graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph.value_or(Hcfg{});
}

std::string refusal(const Hcfg& graph) {
  const Status status = verify(graph);
  return status ? "legal" : status.error().message;
}

TEST(WritesTest, ThePrintedGraphIsReadBack) {
  const Hcfg graph = read_graph(kAccumulate);
  EXPECT_EQ(print(graph), kAccumulate);
  EXPECT_EQ(refusal(graph), "legal");
  EXPECT_TRUE(graph.inputs[1].is_state());
  EXPECT_THAT(std::get<Return>(graph.blocks[0].terminator).writes, ElementsAre(0, 1));
}

TEST(WritesTest, AStructureAndNoResultCanWriteToo) {
  for (const char* result : {"{\"a\": %x}", "(%x)", ""}) {
    const std::string text = std::string("hcfg main(%x: f32[2]) -> () {\n  b0:\n    return") +
                             (*result == '\0' ? "" : " ") + result + " writes %x = %x\n}\n";
    const Hcfg graph = read_graph(text);
    EXPECT_EQ(print(graph), text);
    EXPECT_EQ(refusal(graph), "legal");
  }
}

TEST(WritesTest, TheInterpreterGivesWhatIsWrittenLast) {
  testing_support::TinyEvaluator evaluator;
  const Hcfg graph = read_graph(kAccumulate);
  const std::vector<InterpreterValue> without_state{f32({2}, {10, 20})};
  auto outcome = interpret(graph, without_state, evaluator);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(outcome->writes, ElementsAre(0, 1));
  EXPECT_THAT(elements<float>(*std::get<TensorPtr>(outcome->outputs[0])), ElementsAre(11, 22));
  EXPECT_THAT(elements<float>(*std::get<TensorPtr>(outcome->outputs[1])), ElementsAre(100, 400));
  const std::vector<InterpreterValue> with_state{f32({2}, {1, 1}), outcome->outputs[2]};
  outcome = interpret(graph, with_state, evaluator);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(elements<float>(*std::get<TensorPtr>(outcome->outputs[0])), ElementsAre(12, 23));
}

TEST(WritesTest, WhatIsWrittenFitsTheInput) {
  Hcfg graph = read_graph("hcfg main(%x: f32[2], %n: i64[]) -> () { b0: return writes %x = %n }");
  EXPECT_THAT(refusal(graph), HasSubstr("the input 'x' that it is written to is f32[2]"));
  std::get<Return>(graph.blocks[0].terminator).writes = {7};
  EXPECT_THAT(refusal(graph), HasSubstr("one that is not there"));
  std::get<Return>(graph.blocks[0].terminator).writes = {0, 1};
  EXPECT_THAT(refusal(graph), HasSubstr("writes more than it has"));
}

TEST(WritesTest, WhatIsLeftByAnExceptionPrintsAndFitsTheInput) {
  const auto with = [](const char* input, const char* contents) {
    return std::string("hcfg main(%x: f32[2], %n: i64[], state %sum: f32[2]) -> () {\n") +
           "  initial %sum = hex \"0000803f00000040\"\n  b0:\n    () = write(%" + contents +
           ") {input=" + input + "}\n    return\n}\n";
  };
  const Hcfg graph = read_graph(with("0", "x"));
  EXPECT_EQ(print(graph), with("0", "x"));
  EXPECT_EQ(refusal(graph), "legal");
  testing_support::TinyEvaluator evaluator;
  const std::vector<InterpreterValue> inputs{f32({2}, {10, 20}), testing_support::i64({}, {1})};
  EXPECT_TRUE(interpret(graph, inputs, evaluator));
  EXPECT_THAT(refusal(read_graph(with("0", "n"))),
              HasSubstr("the input 'x' that it is written to is f32[2]"));
  for (const char* input : {"-1", "2", "3"})
    EXPECT_THAT(refusal(read_graph(with(input, "x"))), HasSubstr("an input that is not there")) << input;
}

TEST(WritesTest, StatesComeLastAndHoldTheirType) {
  Hcfg graph = read_graph(kAccumulate);
  std::swap(graph.inputs[0], graph.inputs[1]);
  EXPECT_THAT(refusal(graph), HasSubstr("comes after a state"));
  graph = read_graph(kAccumulate);
  graph.inputs[1].initial = {
      std::make_shared<const TensorData>(make_tensor(DType::Bool, {}, {std::byte{1}}))};
  EXPECT_THAT(refusal(graph), HasSubstr("first contents of the state 'sum'"));
}

const char* kStructures =
    R"(hcfg main(
    %x: f32[2],
    state %rows: f32[n,2],
    state %list: seq<f32[2]>,
    state %numbers: seq<int>,
    state %last: optional<f32[2]>) -> () {
  initial %rows = [tensor f32[1,2] hex "0000803f00000040"]
  initial %list = []
  initial %numbers = [tensor i64[] hex "0500000000000000"]
  initial %last = []
  b0:
    %longer: seq<f32[2]> = seq_insert(%list, %x)
    %some: optional<f32[2]> = some(%x)
    return writes %list = %longer, %last = %some
}
)";

TEST(WritesTest, StatesMayBeOpenInTheirSizesSequencesAndOptionals) {
  Hcfg graph = read_graph(kStructures);
  EXPECT_EQ(print(graph), kStructures);
  EXPECT_EQ(refusal(graph), "legal");
  testing_support::TinyEvaluator evaluator;
  const auto outcome = interpret(graph, std::vector<InterpreterValue>{f32({2}, {1, 2})}, evaluator);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(outcome->writes, ElementsAre(2, 4));
  graph.inputs[4].initial = {f32({2}, {1, 2})};
  EXPECT_THAT(refusal(graph), HasSubstr("first contents of the state 'last'"));
}

TEST(WritesTest, TextThatIsWrongIsRefused) {
  const auto message = [](std::string_view text) {
    const auto graph = parse_hcfg(text);
    return graph ? "read" : graph.error().message;
  };
  EXPECT_THAT(message("hcfg main(state %s: f32[1]) -> () { b0: return }"), HasSubstr("first contents"));
  EXPECT_THAT(message("hcfg main(%x: f32[1]) -> () { initial %x = hex \"0000803f\" b0: return }"),
              HasSubstr("no state"));
  EXPECT_THAT(
      message("hcfg main(%x: f32[1]) -> () { b0: %k: int = const() {value=1} return writes %k = %x }"),
      HasSubstr("only inputs"));
}

}  // namespace
}  // namespace dycl
