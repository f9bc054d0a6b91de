// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;

using Values = std::vector<RuntimeValue>;

void expect_refused(const Result<Values>& results, const std::string& code, const std::string& message) {
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().blame, Blame::Usage);
  EXPECT_EQ(results.error().code, code);
  EXPECT_EQ(results.error().message, message);
}

PlanBuilder two_inputs() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[batch,2]");
  const SlotIndex y = plan.input("y", "f32[batch,2]");
  const SlotIndex sum = plan.slot("f32[batch,2]");
  plan.call("add", {x, y}, {sum});
  plan.ret({sum});
  return plan;
}

RuntimeValue rows(std::int64_t count) {
  return f32({count, 2}, std::vector<float>(static_cast<std::size_t>(2 * count), 1.0F));
}

TEST(Inputs, of_a_wrong_count_are_refused) {
  expect_refused(run(two_inputs(), {rows(1)}), "run.input_count",
                 "the program takes 2 inputs (x, y), 1 was given");
}

TEST(Inputs, that_are_missing_are_named) {
  expect_refused(run(two_inputs(), {rows(1), NoValue{}}), "run.input_missing", "input 'y' is missing");
}

TEST(Inputs, of_a_wrong_kind_are_refused) {
  expect_refused(run(two_inputs(), {rows(1), Scalar(1.0)}), "run.input_kind",
                 "input 'y' must be f32[batch,2], not float");
}

TEST(Inputs, of_a_wrong_dtype_are_refused) {
  expect_refused(run(two_inputs(), {i64({1, 2}, {1, 2}), rows(1)}), "run.input_dtype",
                 "input 'x' has dtype i64, not f32");
}

TEST(Inputs, of_a_wrong_rank_are_refused) {
  expect_refused(run(two_inputs(), {f32({2}, {1, 2}), rows(1)}), "run.input_rank",
                 "input 'x' has 1 dims, not 2");
}

TEST(Inputs, of_a_wrong_size_are_refused) {
  expect_refused(run(two_inputs(), {f32({1, 3}, {1, 2, 3}), rows(1)}), "run.input_dim",
                 "input 'x' has size 3 in dim 1, not 2");
}

TEST(Inputs, that_disagree_about_a_symbol_are_refused) {
  expect_refused(run(two_inputs(), {rows(3), rows(4)}), "run.input_symbol",
                 "input 'y' has size 4 in dim 0 where 'batch' is already 3 (from input 'x')");
}

PlanBuilder limited_inputs(std::int64_t smallest, std::int64_t largest) {
  PlanBuilder plan = two_inputs();
  plan.artifact.plan.symbols.at(0).range = {smallest, largest};
  return plan;
}

TEST(Inputs, at_both_ends_of_a_range_are_taken) {
  for (const std::int64_t count : {2, 5}) {
    const auto results = run(limited_inputs(2, 5), {rows(count), rows(count)});
    ASSERT_TRUE(results) << to_string(results.error());
    EXPECT_THAT(dims(results->at(0)), ElementsAre(count, 2));
  }
}

TEST(Inputs, beyond_a_range_are_refused) {
  expect_refused(run(limited_inputs(2, 5), {rows(6), rows(6)}), "run.input_range",
                 "input 'x' has size 6 in dim 0, where 'batch' must be in 2..5");
  expect_refused(run(limited_inputs(2, 5), {rows(1), rows(1)}), "run.input_range",
                 "input 'x' has size 1 in dim 0, where 'batch' must be in 2..5");
  expect_refused(run(limited_inputs(1, 5), {rows(0), rows(0)}), "run.input_range",
                 "input 'x' has size 0 in dim 0, where 'batch' must be in 1..5");
}

TEST(Inputs, inside_sequences_are_held_against_the_range_too) {
  PlanBuilder plan;
  const SlotIndex xs = plan.input("xs", "seq<f32[n,2]>");
  plan.ret({xs});
  plan.artifact.plan.symbols.at(0).range = {1, 2};
  EXPECT_TRUE(run(plan, {RuntimeValue::sequence({rows(1), rows(2)})}));
  expect_refused(run(plan, {RuntimeValue::sequence({rows(1), rows(3)})}), "run.input_range",
                 "input 'xs' has size 3 in dim 0, where 'n' must be in 1..2 (element 1 of the sequence)");
}

TEST(Inputs, may_bind_a_symbol_anew_in_each_run) {
  RunSession session(load_or_die(two_inputs()));
  for (const std::int64_t count : {1, 4, 0, 2}) {
    const Values inputs{rows(count), rows(count)};
    const auto results = session.run(inputs);
    ASSERT_TRUE(results) << to_string(results.error());
    EXPECT_THAT(dims(results->at(0)), ElementsAre(count, 2));
  }
}

TEST(Inputs, whose_sizes_are_expressions_are_checked) {
  PlanBuilder plan;
  const SlotIndex wide = plan.input("wide", "f32[2*n+1]");
  plan.input("x", "f32[n]");
  plan.ret({wide});
  EXPECT_TRUE(run(plan, {f32({3}, {1, 2, 3}), f32({1}, {0})}));
  expect_refused(run(plan, {f32({3}, {1, 2, 3}), f32({2}, {0, 0})}), "run.input_symbol",
                 "input 'wide' has size 3 in dim 0, where the other inputs require 5");
}

TEST(Inputs, that_are_sequences_are_checked_element_by_element) {
  PlanBuilder plan;
  plan.ret({plan.input("s", "seq<f32[n,2]>")});
  const RuntimeValue good = RuntimeValue::sequence({rows(1), rows(5)});  // sizes may differ
  EXPECT_TRUE(run(plan, {good}));
  expect_refused(run(plan, {RuntimeValue::sequence({rows(1), f32({2}, {1, 2})})}), "run.input_rank",
                 "input 's' has 1 dims, not 2 (element 1 of the sequence)");
  expect_refused(run(plan, {rows(1)}), "run.input_kind", "input 's' must be seq<f32[n,2]>, not f32[1,2]");
}

TEST(Inputs, that_are_optional_may_be_left_out) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "optional<f32[2]>");
  plan.ret({plan.value(HostOp::HasValue, {x}, "bool")});
  EXPECT_EQ(std::get<Scalar>(run(plan, {NoValue{}})->at(0)), Scalar(false));
  EXPECT_EQ(std::get<Scalar>(run(plan, {f32({2}, {1, 2})})->at(0)), Scalar(true));
  expect_refused(run(plan, {f32({3}, {1, 2, 3})}), "run.input_dim", "input 'x' has size 3 in dim 0, not 2");
}

TEST(Tensors, with_wrong_bytes_cannot_be_made) {
  const float data[4] = {};
  const std::int64_t sizes[] = {4};
  const auto short_of_bytes = RuntimeTensor::borrow(DType::F32, sizes, data, 12);
  ASSERT_FALSE(short_of_bytes);
  EXPECT_EQ(short_of_bytes.error().message, "f32[4] needs 16 bytes, 12 were given");
  EXPECT_FALSE(RuntimeTensor::borrow(DType::F32, sizes, nullptr, 16));
  const std::int64_t negative[] = {-4};
  EXPECT_FALSE(RuntimeTensor::borrow(DType::F32, negative, data, 16));
  const std::vector<std::int64_t> many(17, 1);
  EXPECT_FALSE(RuntimeTensor::borrow(DType::F32, many, data, 4));
}

TEST(Tensors, of_strings_with_wild_offsets_cannot_be_made) {
  const std::int64_t sizes[] = {1};
  for (const std::vector<std::int64_t>& offsets :
       {std::vector<std::int64_t>{0, 9}, {1, 2}, {0, -1}, {0}, {0, INT64_MAX}})
    EXPECT_FALSE(RuntimeTensor::borrow(DType::String, sizes, offsets.data(), offsets.size() * 8));
  const std::int64_t empty[] = {0, 0};
  EXPECT_TRUE(RuntimeTensor::borrow(DType::String, sizes, empty, 16));
}

TEST(Outputs, never_alias_borrowed_inputs_or_weights) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex w = plan.constant("w", make_tensor_of<float>(DType::F32, {2}, std::vector<float>{5, 6}));
  plan.ret({x, w, plan.value(HostOp::SeqOf, {x, w}, "seq<f32[2]>")});
  RunSession session(load_or_die(plan));
  float data[2] = {1, 2};
  const std::int64_t sizes[] = {2};
  const Values inputs{*RuntimeTensor::borrow(DType::F32, sizes, data, sizeof data)};
  const auto first = session.run(inputs);
  ASSERT_TRUE(first);
  data[0] = 99;
  EXPECT_THAT(f32s(first->at(0)), ElementsAre(1, 2));
  EXPECT_THAT(f32s(first->at(2).items()->at(0)), ElementsAre(1, 2));
  for (const RuntimeValue* value : {&first->at(0), &first->at(1), &first->at(2).items()->at(1)})
    EXPECT_TRUE(value->tensor()->writable());
  *reinterpret_cast<float*>(first->at(1).tensor()->data) = 77;
  EXPECT_THAT(f32s(session.run(inputs)->at(1)), ElementsAre(5, 6));
}

TEST(Outputs, may_be_fed_back_as_inputs) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex y = plan.slot("f32[1]");
  plan.call("add_one", {x}, {y}, {x});
  plan.ret({y});
  RunSession session(load_or_die(plan));
  Values state{f32({1}, {0})};
  for (int round = 0; round < 5; ++round) ASSERT_TRUE(session.run(state, state));
  EXPECT_THAT(f32s(state.at(0)), ElementsAre(5));
}

}  // namespace
}  // namespace dycl::runtime::testing
