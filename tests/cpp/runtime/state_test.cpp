// SPDX-License-Identifier: Apache-2.0
// Inputs that a run gives new contents, and state that a session keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "package/package_file.h"
#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// y = state + 1; the state becomes y, and so does x.
PlanBuilder counter() {
  PlanBuilder plan;
  plan.input("x", "f32[2]");
  const SlotIndex state = plan.input("state", "f32[2]");
  const std::vector<float> first{5, 6};
  plan.artifact.weights["first"] =
      std::make_shared<const TensorData>(make_tensor_of<float>(DType::F32, {2}, std::span(first)));
  plan.artifact.plan.inputs[1].initial = {"first"};
  const SlotIndex next = plan.slot("f32[2]");
  plan.call("add_one", {state}, {next});
  plan.output("y", "f32[2]");
  plan.add(PlanReturn{{next, next, next}, {}, {0, 1}});
  return plan;
}

std::vector<RuntimeValue> one_input() { return {f32({2}, {0, 0})}; }

TEST(State, is_kept_from_run_to_run_until_it_is_reset) {
  RunSession session(load_or_die(counter()));
  for (const float expected : {6.0F, 7.0F, 8.0F}) {
    const auto results = session.run(one_input());
    ASSERT_TRUE(results) << to_string(results.error());
    ASSERT_EQ(results->size(), 2U);
    EXPECT_THAT(f32s(results->at(0)), ElementsAre(expected, expected + 1));
  }
  ASSERT_TRUE(session.reset());
  EXPECT_THAT(f32s(session.run(one_input())->at(0)), ElementsAre(6, 7));
}

TEST(State, may_be_a_sequence_that_grows) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex list = plan.input("list", "seq<f32[2]>");
  plan.artifact.plan.inputs[1].initial.emplace();
  const SlotIndex longer = plan.value(HostOp::SeqInsert, {list, x}, "seq<f32[2]>");
  plan.output("y", "seq<f32[2]>");
  plan.add(PlanReturn{{longer, longer}, {}, {1}});
  RunSession session(load_or_die(plan));
  for (const std::size_t expected : {1U, 2U, 3U}) {
    const auto results = session.run(one_input());
    ASSERT_TRUE(results) << to_string(results.error());
    EXPECT_EQ(results->at(0).items()->size(), expected);
  }
  ASSERT_TRUE(session.reset());
  EXPECT_EQ(session.run(one_input())->at(0).items()->size(), 1U);
}

TEST(State, may_be_empty_at_first) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex last = plan.input("last", "optional<f32[2]>");
  plan.artifact.plan.inputs[1].initial.emplace();
  const SlotIndex has = plan.value(HostOp::HasValue, {last}, "bool");
  const SlotIndex some = plan.value(HostOp::Some, {x}, "optional<f32[2]>");
  plan.output("y", "bool");
  plan.add(PlanReturn{{has, some}, {}, {1}});
  RunSession session(load_or_die(plan));
  for (const bool expected : {false, true, true})
    EXPECT_EQ(std::get<Scalar>(session.run(one_input())->at(0)), Scalar(expected));
}

TEST(State, belongs_to_a_session) {
  const auto program = load_or_die(counter());
  RunSession first(program), second(program);
  ASSERT_TRUE(first.run(one_input()));
  EXPECT_THAT(f32s(second.run(one_input())->at(0)), ElementsAre(6, 7));
  EXPECT_EQ(program->inputs().size(), 1U);
  EXPECT_EQ(program->states().size(), 1U);
}

TEST(State, is_not_what_the_caller_got) {
  RunSession session(load_or_die(counter()));
  auto results = session.run(one_input());
  ASSERT_TRUE(results);
  auto& tensor = std::get<RuntimeTensor>(results->at(0));
  reinterpret_cast<float*>(const_cast<std::byte*>(tensor.data))[0] = 1000;
  EXPECT_THAT(f32s(session.run(one_input())->at(0)), ElementsAre(7, 8));
}

TEST(WrittenInputs, are_the_last_outputs) {
  RunSession session(load_or_die(counter()));
  const auto results = session.run(one_input());
  ASSERT_TRUE(results);
  EXPECT_THAT(session.written_inputs(), ElementsAre(0));
  EXPECT_THAT(f32s(results->at(1)), ElementsAre(6, 7));
  EXPECT_THAT(session.program().facts().written_inputs, ElementsAre(0));
  EXPECT_FALSE(session.run({}));
  EXPECT_THAT(session.written_inputs(), IsEmpty());
}

TEST(WrittenInputs, may_not_share_memory_with_others) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex y = plan.input("y", "f32[2]");
  plan.output("z", "f32[2]");
  plan.add(PlanReturn{{x, y}, {}, {1}});
  const RuntimeValue shared = f32({2}, {1, 2});
  const auto results = run(plan, {shared, shared});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "run.inputs_overlap");
  EXPECT_THAT(results.error().message, HasSubstr("'y'"));
  EXPECT_TRUE(run(plan, {f32({2}, {1, 2}), f32({2}, {1, 2})}));
}

// Both inputs are swapped, then x again is 'again', and both checks may raise.
PlanBuilder swapping_plan() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex y = plan.input("y", "f32[2]");
  const SlotIndex first = plan.input("first", "bool");
  const SlotIndex second = plan.input("second", "bool");
  const auto check = [&](SlotIndex flag) {
    plan.add(PlanHost{HostOp::Check, {{"type", "ValueError"}, {"message", ""}}, {flag}, {}});
  };
  const auto write = [&](std::int64_t input, SlotIndex contents) {
    plan.add(PlanHost{HostOp::Write, {{"input", input}}, {contents}, {}});
  };
  write(0, y);
  check(first);
  write(1, x);
  write(0, x);
  check(second);
  plan.output("z", "f32[2]");
  plan.add(PlanReturn{{x, y}, {}, {1}});
  return plan;
}

TEST(WrittenInputs, keep_what_was_written_before_an_exception) {
  RunSession session(load_or_die(swapping_plan()));
  EXPECT_THAT(session.program().facts().written_inputs, ElementsAre(0, 1));
  const auto inputs = [](bool first, bool second) {
    return std::vector<RuntimeValue>{f32({2}, {1, 2}), f32({2}, {3, 4}), Scalar(first), Scalar(second)};
  };
  std::vector<RuntimeValue> left;
  EXPECT_FALSE(session.run(inputs(true, true), left));
  EXPECT_THAT(session.written_inputs(), ElementsAre(0));
  ASSERT_EQ(left.size(), 1U);
  EXPECT_THAT(f32s(left[0]), ElementsAre(3, 4));
  EXPECT_FALSE(session.run(inputs(false, true), left));
  EXPECT_THAT(session.written_inputs(), ElementsAre(0, 1));
  ASSERT_EQ(left.size(), 2U);
  EXPECT_THAT(f32s(left[0]), ElementsAre(1, 2));
  EXPECT_THAT(f32s(left[1]), ElementsAre(1, 2));
  EXPECT_TRUE(session.run(inputs(false, false), left));
  EXPECT_THAT(session.written_inputs(), ElementsAre(1)) << "the return says what is written";
  EXPECT_FALSE(session.run({}, left));
  EXPECT_THAT(left, IsEmpty()) << "the model did not raise";
}

TEST(WrittenInputs, are_inputs_of_the_caller_and_of_the_type_of_the_contents) {
  for (const std::int64_t input : {-1, 1, 4, 1 << 20}) {
    PlanBuilder plan = counter();
    plan.artifact.plan.code.insert(plan.artifact.plan.code.begin(),
                                   {PlanHost{HostOp::Write, {{"input", input}}, {0}, {}}, {}, {}});
    EXPECT_FALSE(load(plan.artifact)) << input;
  }
  PlanBuilder plan = swapping_plan();
  plan.artifact.plan.slots[1] = plan.artifact.plan.inputs[1].type =
      TensorType{DType::I64, std::vector<Dim>{Dim(2)}, {}};
  EXPECT_FALSE(load(plan.artifact));
}

TEST(WrittenInputs, that_are_not_there_are_refused) {
  PlanBuilder plan = counter();
  std::get<PlanReturn>(plan.artifact.plan.code.back().operation).writes = {0, 9};
  EXPECT_FALSE(load(plan.artifact));
  plan = counter();
  plan.artifact.weights.erase("first");
  EXPECT_FALSE(load(plan.artifact));
}

}  // namespace
}  // namespace dycl::runtime::testing
