// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RuntimeValue int_of(std::int64_t value) { return Scalar(value); }

// while (i < n) { x = x + 1; i = i + 1 }; return x, i
PlanBuilder counting_loop() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex n = plan.input("n", "int");
  const SlotIndex i = plan.slot("int");
  const SlotIndex one = plan.slot("int");
  const SlotIndex next_x = plan.slot("f32[2]");
  const SlotIndex next_i = plan.slot("int");
  const SlotIndex go_on = plan.slot("bool");
  plan.host(HostOp::Const, {}, i, {}, {{"value", Attribute(std::int64_t{0})}});
  plan.host(HostOp::Const, {}, one, {}, {{"value", Attribute(std::int64_t{1})}});
  const std::uint32_t header = plan.host(HostOp::Lt, {i, n}, go_on);
  plan.source(header, "model.py", 7);
  plan.add(PlanBranch{go_on, PlanEdge{header + 2, {}, {}}, PlanEdge{header + 5, {}, {}}}, {go_on});
  plan.call("add_one", {x}, {next_x}, {x});
  plan.host(HostOp::Add, {i, one}, next_i, {i});
  plan.add(PlanJump{PlanEdge{header, {{next_x, x}, {next_i, i}}, {next_x, next_i}}});
  plan.ret({x, i});
  return plan;
}

TEST(Loops, run_no_time_once_and_many_times) {
  const PlanBuilder plan = counting_loop();
  for (const std::int64_t trips : {0, 1, 2, 1000}) {
    const auto results = run(plan, {f32({2}, {0, 10}), int_of(trips)});
    ASSERT_TRUE(results) << to_string(results.error());
    const auto expected = static_cast<float>(trips);
    EXPECT_THAT(f32s(results->at(0)), ElementsAre(expected, expected + 10));
    EXPECT_EQ(std::get<Scalar>(results->at(1)), Scalar(trips));
  }
}

TEST(Loops, that_never_end_are_stopped_and_named) {
  const PlanBuilder plan = counting_loop();
  const std::vector<RuntimeValue> inputs{f32({2}, {0, 0}), int_of(1'000'000'000)};
  const auto results = run(plan, inputs, LoadOptions{1000, 0});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "run.step_limit");
  EXPECT_EQ(to_string(results.error().span), "model.py:7:1");
  EXPECT_THAT(results.error().message, HasSubstr("1000 steps"));
}

TEST(Loops, a_limit_of_zero_is_no_limit) {
  const std::vector<RuntimeValue> inputs{f32({2}, {0, 0}), int_of(5000)};
  EXPECT_TRUE(run(counting_loop(), inputs, LoadOptions{0, 0}));
}

TEST(Loops, a_session_is_usable_after_a_failure) {
  RunSession session(load_or_die(counting_loop(), LoadOptions{1000, 0}));
  const std::vector<RuntimeValue> endless{f32({2}, {0, 0}), int_of(1'000'000)};
  const std::vector<RuntimeValue> short_one{f32({2}, {0, 0}), int_of(2)};
  EXPECT_FALSE(session.run(endless));
  const auto results = session.run(short_one);
  ASSERT_TRUE(results);
  EXPECT_THAT(f32s(results->at(0)), ElementsAre(2, 2));
}

TEST(Terminators, branch_takes_the_edge_of_its_condition) {
  PlanBuilder plan;
  const SlotIndex condition = plan.input("c", "bool");
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex y = plan.input("y", "f32[1]");
  const SlotIndex merged = plan.slot("f32[1]");
  plan.add(PlanBranch{condition, PlanEdge{1, {{x, merged}}, {x, y}}, PlanEdge{1, {{y, merged}}, {x, y}}},
           {condition});
  plan.ret({merged});
  EXPECT_THAT(f32s(run(plan, {Scalar(true), f32({1}, {1}), f32({1}, {2})})->at(0)), ElementsAre(1));
  EXPECT_THAT(f32s(run(plan, {Scalar(false), f32({1}, {1}), f32({1}, {2})})->at(0)), ElementsAre(2));
}

TEST(Terminators, switch_takes_a_case_or_the_fallback) {
  PlanBuilder plan;
  const SlotIndex index = plan.input("i", "int");
  const SlotIndex out = plan.slot("int");
  plan.add(PlanSwitch{index, {PlanEdge{1, {}, {}}, PlanEdge{3, {}, {}}}, PlanEdge{5, {}, {}}});
  for (const std::int64_t value : {10, 20, 30}) {
    plan.host(HostOp::Const, {}, out, {}, {{"value", Attribute(value)}});
    plan.ret({out});
  }
  const auto chosen = [&](std::int64_t value) { return std::get<Scalar>(run(plan, {int_of(value)})->at(0)); };
  EXPECT_EQ(chosen(0), Scalar(std::int64_t{10}));
  EXPECT_EQ(chosen(1), Scalar(std::int64_t{20}));
  EXPECT_EQ(chosen(2), Scalar(std::int64_t{30}));
  EXPECT_EQ(chosen(-1), Scalar(std::int64_t{30}));
}

TEST(Terminators, raise_carries_type_message_and_place) {
  PlanBuilder plan;
  const SlotIndex size = plan.input("n", "int");
  const SlotIndex share = plan.input("p", "float");
  const std::uint32_t at = plan.add(PlanRaise{"ValueError", "bad size {} ({})", {size, share}});
  plan.source(at, "model.py", 12);
  const auto results = run(plan, {int_of(3), Scalar(0.5)});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().blame, Blame::Model);
  EXPECT_EQ(results.error().exception_type, "ValueError");
  EXPECT_EQ(results.error().message, "bad size 3 (0.5)");
  EXPECT_EQ(to_string(results.error().span), "model.py:12:1");
}

TEST(Terminators, raise_carries_attributes) {
  PlanBuilder plan;
  const SlotIndex size = plan.input("n", "int");
  const SlotIndex share = plan.input("p", "float");
  const auto attributes = std::make_shared<const ResultNode>(
      ResultDict{{{ResultConstant("share"), ResultValue{0}}, {ResultConstant("name"), ResultConstant("a")}}});
  plan.add(PlanRaise{"ValueError", "bad size {}", {size, share}, attributes});
  const auto results = run(plan, {int_of(3), Scalar(0.5)});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message, "bad size 3");
  EXPECT_TRUE(same_tree(results.error().exception_attributes, attributes));
  EXPECT_EQ(results.error().exception_values, std::vector{ResultConstant(0.5)});
}

TEST(Moves, are_parallel) {
  PlanBuilder plan;
  const SlotIndex a = plan.input("a", "int");
  const SlotIndex b = plan.input("b", "int");
  const SlotIndex c = plan.input("c", "int");
  plan.add(PlanJump{PlanEdge{1, {{a, b}, {b, c}, {c, a}}, {}}});
  plan.ret({a, b, c});
  const auto results = run(plan, {int_of(1), int_of(2), int_of(3)});
  ASSERT_TRUE(results);
  EXPECT_EQ(std::get<Scalar>(results->at(0)), Scalar(std::int64_t{3}));
  EXPECT_EQ(std::get<Scalar>(results->at(1)), Scalar(std::int64_t{1}));
  EXPECT_EQ(std::get<Scalar>(results->at(2)), Scalar(std::int64_t{2}));
}

TEST(Moves, one_slot_may_feed_several_and_live_on) {
  PlanBuilder plan;
  const SlotIndex a = plan.input("a", "f32[1]");
  const SlotIndex b = plan.slot("f32[1]");
  const SlotIndex c = plan.slot("f32[1]");
  plan.add(PlanJump{PlanEdge{1, {{a, b}, {a, c}}, {}}});
  plan.ret({a, b, c});
  const auto results = run(plan, {f32({1}, {5})});
  ASSERT_TRUE(results);
  for (const RuntimeValue& value : *results) EXPECT_THAT(f32s(value), ElementsAre(5));
}

TEST(Moves, a_slot_that_dies_and_is_written_again_keeps_the_new_value) {
  PlanBuilder plan;
  const SlotIndex a = plan.input("a", "int");
  const SlotIndex b = plan.input("b", "int");
  plan.add(PlanJump{PlanEdge{1, {{b, a}}, {b}}}, {a});
  plan.ret({plan.value(HostOp::Add, {a, a}, "int")});
  EXPECT_EQ(std::get<Scalar>(run(plan, {int_of(1), int_of(21)})->at(0)), Scalar(std::int64_t{42}));
}

// s = []; for i in range(n): s.append(x); return s. Appending in place keeps this linear.
PlanBuilder growing_sequence() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex n = plan.input("n", "int");
  const SlotIndex s = plan.slot("seq<f32[1]>");
  const SlotIndex longer = plan.slot("seq<f32[1]>");
  const SlotIndex length = plan.slot("int");
  const SlotIndex go_on = plan.slot("bool");
  plan.host(HostOp::SeqEmpty, {}, s);
  const std::uint32_t header = plan.host(HostOp::SeqLen, {s}, length);
  plan.host(HostOp::Lt, {length, n}, go_on, {length});
  plan.add(PlanBranch{go_on, PlanEdge{header + 3, {}, {}}, PlanEdge{header + 5, {}, {}}}, {go_on});
  plan.host(HostOp::SeqInsert, {s, x}, longer, {s});
  plan.add(PlanJump{PlanEdge{header, {{longer, s}}, {longer}}});
  plan.ret({s});
  return plan;
}

TEST(Loops, sequences_that_grow_are_appended_in_place) {
  RunSession session(load_or_die(growing_sequence()));
  const std::int64_t length = 200'000;  // copied at each step this would move 3.5 terabytes
  const std::vector<RuntimeValue> inputs{f32({1}, {3}), int_of(length)};
  const auto results = session.run(inputs);
  ASSERT_TRUE(results) << to_string(results.error());
  EXPECT_EQ(results->at(0).items()->size(), static_cast<std::size_t>(length));
  EXPECT_THAT(f32s(results->at(0).items()->back()), ElementsAre(3));
}

}  // namespace
}  // namespace dycl::runtime::testing
