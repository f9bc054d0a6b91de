// SPDX-License-Identifier: Apache-2.0
#include "hcfg/interpreter.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"
#include "hcfg/tiny_evaluator.h"

namespace dycl {
namespace {

using testing_support::boolean;
using testing_support::elements;
using testing_support::f32;
using testing_support::i64;

Result<InterpreterOutcome> run(std::string_view text, std::vector<InterpreterValue> inputs,
                               const InterpretOptions& options = {}) {
  const auto graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << graph.error().message;
  testing_support::TinyEvaluator evaluator;
  return interpret(graph.value(), inputs, evaluator, options);
}

const char* kGrowingLoop = R"(hcfg main(%x: f32[n], %trips: i64[]) -> (y: f32[k]) {
  b0:
    %t: int = item(%trips)
    %zero: int = const() {value=0}
    %one: int = const() {value=1}
    jump b1(%zero, %x)
  b1(%i: int, %acc: f32[k]):
    %go: bool = lt(%i, %t)
    branch %go ? b2() : b3()
  b2:
    subnet body { %longer: f32[n+k] = Concat@13(%acc, %x) {axis=0} }
    %next: int = add(%i, %one)
    jump b1(%next, %longer)
  b3:
    return %acc
})";

TEST(InterpreterTest, ALoopRebindsTheSymbolsOfItsParameters) {
  const auto outcome = run(kGrowingLoop, {f32({2}, {1, 2}), i64({}, {2})});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(elements<float>(*std::get<TensorPtr>(outcome->outputs[0])),
            (std::vector<float>{1, 2, 1, 2, 1, 2}));
}

TEST(InterpreterTest, SizesOutsideARangeAreRefused) {
  const char* text =
      "hcfg main(%x: f32[n], %xs: seq<f32[m]>) -> (y: f32[n]) { range n = 2..3 range m = 2..3 b0: return %x "
      "}";
  const auto items = [](std::vector<InterpreterValue> values) {
    return SeqValue{std::make_shared<const std::vector<InterpreterValue>>(std::move(values))};
  };
  EXPECT_TRUE(run(text, {f32({2}, {1, 2}), items({})}));
  EXPECT_TRUE(run(text, {f32({3}, {1, 2, 3}), items({f32({2}, {1, 2})})}));
  const auto small = run(text, {f32({1}, {1}), items({})});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, "input.range");
  EXPECT_EQ(small.error().message, "input 'x' has size 1 in dim 0, outside n = 2..3");
  const auto inside = run(text, {f32({2}, {1, 2}), items({f32({4}, {1, 2, 3, 4})})});
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().message, "input 'xs' has size 4 in dim 0, outside m = 2..3");
}

TEST(InterpreterTest, AZeroTripLoopGivesItsInput) {
  const auto outcome = run(kGrowingLoop, {f32({2}, {1, 2}), i64({}, {0})});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(elements<float>(*std::get<TensorPtr>(outcome->outputs[0])), (std::vector<float>{1, 2}));
}

TEST(InterpreterTest, RecordsTheEdgesTaken) {
  InterpretOptions options;
  options.record_path = true;
  const auto outcome = run(kGrowingLoop, {f32({1}, {1}), i64({}, {1})}, options);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->path,
            (std::vector<EdgeId>{{BlockId(0), 0}, {BlockId(1), 0}, {BlockId(2), 0}, {BlockId(1), 1}}));
}

TEST(InterpreterTest, EndlessLoopsStopAtTheStepLimit) {
  InterpretOptions options;
  options.step_limit = 50;
  const auto outcome = run("hcfg main() -> () { b0: jump b1()\nb1: jump b1() }", {}, options);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "model.step_limit");
  EXPECT_EQ(outcome.error().blame, Blame::Usage);
}

TEST(InterpreterTest, EdgesExchangeTheirArguments) {
  const auto outcome =
      run("hcfg main(%a: f32[], %b: f32[], %c: bool[]) -> (x: f32[], y: f32[]) {\n"
          "b0: %t: bool = item(%c) %f: bool = const() {value=0} jump b1(%a, %b, %t)\n"
          "b1(%p: f32[], %q: f32[], %go: bool): branch %go ? b1(%q, %p, %f) : b2()\nb2: return %p, %q }",
          {f32({}, {1}), f32({}, {2}), boolean(true)});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(elements<float>(*std::get<TensorPtr>(outcome->outputs[0])), std::vector<float>{2});
  EXPECT_EQ(elements<float>(*std::get<TensorPtr>(outcome->outputs[1])), std::vector<float>{1});
}

TEST(InterpreterTest, ASwitchFallsBackOutsideItsCases) {
  const char* text =
      "hcfg main(%i: i64[]) -> (r: int) {\nb0: %k: int = item(%i) switch %k [b1(), b2()] else b3()\n"
      "b1: %a: int = const() {value=10} return %a\nb2: %b: int = const() {value=20} return %b\n"
      "b3: %d: int = const() {value=30} return %d }";
  for (const auto& [index, expected] : {std::pair(0, 10), {1, 20}, {2, 30}, {-1, 30}}) {
    const auto outcome = run(text, {i64({}, {index})});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(std::get<Scalar>(outcome->outputs[0]), Scalar(std::int64_t{expected}));
  }
}

TEST(InterpreterTest, ARaiseHasItsTypeAndItsFormattedMessage) {
  const auto outcome =
      run("hcfg main(%n: i64[]) -> () { b0: %s: int = item(%n) raise ValueError \"bad size {}\"(%s) }",
          {i64({}, {7})});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().blame, Blame::Model);
  EXPECT_EQ(outcome.error().exception_type, "ValueError");
  EXPECT_EQ(outcome.error().message, "bad size 7");
}

TEST(InterpreterTest, WrongInputsAreTheCallersFault) {
  const char* text = "hcfg main(%x: f32[n,2], %y: f32[n]) -> () { b0: return }";
  EXPECT_EQ(run(text, {}).error().code, "input.count");
  EXPECT_EQ(run(text, {f32({1, 3}, {1, 2, 3}), f32({1}, {1})}).error().blame, Blame::Usage);
  EXPECT_EQ(run(text, {f32({1, 2}, {1, 2}), f32({2}, {1, 2})}).error().message,
            "%y is a tensor f32[2], its type is f32[n]");
  EXPECT_TRUE(run(text, {f32({1, 2}, {1, 2}), f32({1}, {1})}));
}

TEST(InterpreterTest, AResultThatContradictsItsTypeIsReported) {
  const auto outcome =
      run("hcfg main(%x: f32[2]) -> (y: f32[3]) { b0: subnet s { %y: f32[3] = Add@14(%x, %x) } return %y }",
          {f32({2}, {1, 2})});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "hcfg.value_type");
  EXPECT_EQ(outcome.error().blame, Blame::Internal);
}

TEST(InterpreterTest, AnIllegalGraphIsNotRun) {
  EXPECT_EQ(run("hcfg main() -> (y: int) { b0: return }", {}).error().code, "hcfg.verify");
}

TEST(InterpreterTest, OptionalInputsMayBeLeftOut) {
  const char* text =
      "hcfg main(optional %x: optional<f32[n]>) -> (r: bool) { b0: %h: bool = has_value(%x) return %h }";
  EXPECT_EQ(std::get<Scalar>(run(text, {OptionalValue{}})->outputs[0]), Scalar(false));
  EXPECT_EQ(std::get<Scalar>(run(text, {f32({1}, {1})})->outputs[0]), Scalar(true));
}

}  // namespace
}  // namespace dycl
