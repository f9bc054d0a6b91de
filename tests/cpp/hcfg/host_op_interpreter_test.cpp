// SPDX-License-Identifier: Apache-2.0
// Host operations one by one, through the interpreter.
#include <gtest/gtest.h>

#include "hcfg/interpreter.h"
#include "hcfg/text.h"
#include "hcfg/tiny_evaluator.h"

namespace dycl {
namespace {

using testing_support::elements;
using testing_support::f32;
using testing_support::i64;

// Runs the steps on %x: f32[a,b], %i: int from an i64[] and %s: a sequence of %x and %x; gives %r.
Result<InterpreterValue> result_of(const std::string& type, const std::string& steps,
                                   std::int64_t number = 0) {
  const auto graph =
      parse_hcfg("hcfg main(%x: f32[a,b], %n: i64[]) -> (r: " + type +
                 ") { b0: %i: int = item(%n) %s: seq<f32[a,b]> = seq_of(%x, %x) " + steps + " return %r }");
  EXPECT_TRUE(graph) << graph.error().message;
  testing_support::TinyEvaluator evaluator;
  const std::vector<InterpreterValue> inputs{f32({2, 3}, {0, 1, 2, 3, 4, 5}), i64({}, {number})};
  auto outcome = interpret(graph.value(), inputs, evaluator);
  if (!outcome) return Failure(outcome.error());
  return outcome->outputs.at(0);
}

std::string error_of(const std::string& type, const std::string& steps, std::int64_t number = 0) {
  const auto result = result_of(type, steps, number);
  return result ? "none" : result.error().exception_type + ": " + result.error().message;
}

std::vector<std::int64_t> dims_of(const Result<InterpreterValue>& value) {
  EXPECT_TRUE(value) << value.error().message;
  return value ? std::get<TensorPtr>(*value)->dims : std::vector<std::int64_t>{};
}

std::vector<float> floats_of(const Result<InterpreterValue>& value) {
  return value ? elements<float>(*std::get<TensorPtr>(*value)) : std::vector<float>{};
}

using Dims = std::vector<std::int64_t>;
using Floats = std::vector<float>;

TEST(HostOpTest, ScalarsBecomeTensorsAndBack) {
  const auto tensor = result_of("i32[1]", "%r: i32[1] = to_tensor(%i) {dtype=\"i32\", dims=[1]}", -5);
  EXPECT_EQ(dims_of(tensor), Dims{1});
  EXPECT_EQ(elements<std::int32_t>(*std::get<TensorPtr>(*tensor)), std::vector<std::int32_t>{-5});
  EXPECT_EQ(error_of("u8[]", "%r: u8[] = to_tensor(%i) {dtype=\"u8\"}", 256),
            "OverflowError: 256 does not fit into u8");
  for (const std::string dtype : {"f16", "bf16", "f32", "f64", "i8", "u64"}) {
    const auto back = result_of(
        "float", "%t: " + dtype + "[] = to_tensor(%i) {dtype=\"" + dtype + "\"} %r: float = item(%t)", 96);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(std::get<Scalar>(*back), Scalar(96.0)) << dtype;
  }
}

TEST(HostOpTest, ItemTakesOneElement) {
  EXPECT_EQ(error_of("float", "%r: float = item(%x)"), "ValueError: item() of a tensor with 6 elements");
}

TEST(HostOpTest, DimsAreReadFromEitherEnd) {
  EXPECT_EQ(std::get<Scalar>(*result_of("int", "%r: int = dim(%x) {axis=-1}")), Scalar(std::int64_t{3}));
  EXPECT_EQ(std::get<Scalar>(*result_of("int", "%r: int = numel(%x)")), Scalar(std::int64_t{6}));
}

TEST(HostOpTest, SequencesInsertEraseAndIndexLikePythonsLists) {
  const auto length = [](const std::string& change, std::int64_t number) {
    return result_of("int", "%t: seq<f32[*]> = " + change + " %r: int = seq_len(%t)", number);
  };
  EXPECT_EQ(std::get<Scalar>(*length("seq_insert(%s, %x)", 0)), Scalar(std::int64_t{3}));
  EXPECT_EQ(std::get<Scalar>(*length("seq_insert(%s, %x, %i)", 2)), Scalar(std::int64_t{3}));
  EXPECT_EQ(std::get<Scalar>(*length("seq_erase(%s)", 0)), Scalar(std::int64_t{1}));
  EXPECT_FALSE(length("seq_insert(%s, %x, %i)", 3));
  EXPECT_FALSE(length("seq_erase(%s, %i)", -3));
  EXPECT_EQ(dims_of(result_of("f32[*]", "%r: f32[*] = seq_at(%s, %i)", -2)), (Dims{2, 3}));
  EXPECT_EQ(error_of("f32[*]", "%r: f32[*] = seq_at(%s, %i)", 2),
            "IndexError: index 2 is out of range for a sequence of 2");
}

TEST(HostOpTest, ConcatJoinsAndStacks) {
  const auto joined = result_of("f32[*]", "%r: f32[*] = seq_concat(%s) {axis=1}");
  EXPECT_EQ(dims_of(joined), (Dims{2, 6}));
  EXPECT_EQ(floats_of(joined), (Floats{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(dims_of(result_of("f32[*]", "%r: f32[*] = seq_concat(%s) {axis=-1, new_axis=1}")),
            (Dims{2, 3, 2}));
}

TEST(HostOpTest, AnEmptyConcatTakesItsSizesFromTheType) {
  const std::string empty = "%e: seq<f32[*]> = seq_empty() ";
  EXPECT_EQ(dims_of(result_of("f32[c,b]", empty + "%r: f32[c,b] = seq_concat(%e) {axis=0}")), (Dims{0, 3}));
  EXPECT_NE(error_of("f32[*]", empty + "%r: f32[*] = seq_concat(%e) {axis=0}"), "none");
}

TEST(HostOpTest, SplitCutsIntoOnesChunksOrSizes) {
  const auto second = [](const std::string& split, const std::string& before = "") {
    return result_of("f32[*]",
                     before + "%one: int = const() {value=1} %p: seq<f32[*]> = " + split +
                         " %r: f32[*] = seq_at(%p, %one)",
                     2);
  };
  EXPECT_EQ(dims_of(second("seq_split(%x) {axis=1, keepdims=0}")), Dims{2});
  EXPECT_EQ(floats_of(second("seq_split(%x) {axis=1, keepdims=0}")), (Floats{1, 4}));
  EXPECT_EQ(floats_of(second("seq_split(%x, %n) {axis=1}")), (Floats{2, 5}));
  EXPECT_EQ(dims_of(second("seq_split(%x, %n) {axis=1}")), (Dims{2, 1}));
}

TEST(HostOpTest, ViewsAndRowsKeepTheElements) {
  EXPECT_EQ(dims_of(result_of("f32[*]", "%r: f32[*] = view(%x) {dims=[0,-1,1]}")), (Dims{2, 3, 1}));
  EXPECT_EQ(error_of("f32[*]", "%r: f32[*] = view(%x) {dims=[4,-1]}"),
            "ValueError: a tensor of sizes [2, 3] cannot be viewed as [4, -1]");
  EXPECT_EQ(floats_of(result_of("f32[b]", "%r: f32[b] = row(%x, %i)", -1)), (Floats{3, 4, 5}));
  EXPECT_EQ(error_of("f32[b]", "%r: f32[b] = row(%x, %i)", 2),
            "IndexError: index 2 is out of range for dim 0 of size 2");
}

TEST(HostOpTest, RowsOfBaseDrawsAreUsedUp) {
  const auto taken = result_of("f32[b]", "%r: f32[b] = row(%x, %i) {draws=\"draws:model.py:31:uniform\"}", 2);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, "run.draws_used_up");
  EXPECT_EQ(taken.error().message,
            "this place draws more often than the input 'draws:model.py:31:uniform' has rows (2)");
}

TEST(HostOpTest, UnwrappingNoneRaises) {
  EXPECT_EQ(error_of("f32[*]", "%o: optional<f32[*]> = none() %r: f32[*] = unwrap(%o)"),
            "ValueError: an optional without a value was unwrapped");
  EXPECT_EQ(dims_of(result_of("f32[*]", "%o: optional<f32[*]> = some(%x) %r: f32[*] = unwrap(%o)")),
            (Dims{2, 3}));
}

TEST(HostOpTest, ScalarErrorsReachTheCaller) {
  EXPECT_EQ(error_of("int", "%r: int = floor_div(%i, %i)", 0),
            "ZeroDivisionError: integer division or modulo by zero");
}

}  // namespace
}  // namespace dycl
