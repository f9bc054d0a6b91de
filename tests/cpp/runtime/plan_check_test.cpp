// SPDX-License-Identifier: Apache-2.0
// Plans that no compiler writes: loading refuses them, whoever made them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::HasSubstr;

void expect_refused(const PlanBuilder& plan, const std::string& text) {
  const auto program = load(plan.artifact);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().blame, Blame::Package);
  EXPECT_EQ(program.error().code, "package.bad_plan");
  EXPECT_THAT(program.error().message, HasSubstr(text));
}

TEST(PlanCheck, refuses_wild_slots) {
  PlanBuilder plan;
  plan.input("x", "f32[1]");
  plan.ret({0});
  EXPECT_TRUE(load(plan.artifact));
  PlanBuilder wild_return = plan;
  wild_return.artifact.plan.code[0].operation = PlanReturn{{7}};
  expect_refused(wild_return, "a slot does not exist");
  PlanBuilder wild_dead = plan;
  wild_dead.artifact.plan.code[0].dead = {9};
  expect_refused(wild_dead, "a slot does not exist");
  PlanBuilder wild_input = plan;
  wild_input.artifact.plan.inputs[0].slot = 3;
  expect_refused(wild_input, "input 'x' has no slot");
}

TEST(PlanCheck, refuses_wild_jumps_and_code_that_runs_off_its_end) {
  PlanBuilder jump;
  jump.add(PlanJump{PlanEdge{1, {}, {}}});
  expect_refused(jump, "a jump leaves the program");
  PlanBuilder open_end;
  open_end.value(HostOp::Const, {}, "int", {{"value", Attribute(std::int64_t{1})}});
  expect_refused(open_end, "runs off its end");
  expect_refused(PlanBuilder(), "no instruction");
}

TEST(PlanCheck, refuses_wild_sub_dnns_and_wrong_operands) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  plan.add(PlanCall{3, {x}, {x}});
  plan.ret({x});
  expect_refused(plan, "the sub-DNN does not exist");
  PlanBuilder scalar;
  const SlotIndex n = scalar.input("n", "int");
  scalar.call("identity", {n}, {n});
  scalar.ret({n});
  expect_refused(scalar, "tensors only");
  PlanBuilder operands;
  const SlotIndex m = operands.input("n", "int");
  operands.host(HostOp::Add, {m}, m);
  operands.ret({m});
  expect_refused(operands, "'add'");
}

TEST(PlanCheck, refuses_overwritten_constants_and_moves_onto_one_slot) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex w = plan.constant("w", make_tensor_of<float>(DType::F32, {1}, std::vector<float>{1}));
  plan.call("identity", {x}, {w});
  plan.ret({x});
  expect_refused(plan, "a constant is overwritten");
  PlanBuilder moves;
  const SlotIndex a = moves.input("a", "int");
  const SlotIndex b = moves.input("b", "int");
  moves.add(PlanJump{PlanEdge{1, {{a, b}, {b, b}}, {}}});
  moves.ret({b});
  expect_refused(moves, "two moves write one slot");
}

TEST(PlanCheck, refuses_wrong_counts_and_missing_weights) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "int");
  plan.output("y", "int");
  plan.ret({x, x});
  expect_refused(plan, "another number of values");
  PlanBuilder raise;
  raise.add(PlanRaise{"ValueError", "{} {}", {}});
  expect_refused(raise, "its message takes");
  PlanBuilder weight;
  weight.constant("w", make_tensor_of<float>(DType::F32, {1}, std::vector<float>{1}));
  weight.ret({});
  weight.artifact.weights.clear();
  expect_refused(weight, "constant 'w'");
}

Type tensor_of(std::vector<Dim> dims) {
  TensorType type;
  type.dims = std::move(dims);
  return type;
}

TEST(PlanCheck, refuses_types_that_cannot_be_run) {
  PlanBuilder plan;
  plan.ret({});
  PlanBuilder nested = plan;
  nested.artifact.plan.slots.push_back(optional_of(optional_of(ScalarType{})));
  expect_refused(nested, "type");
  PlanBuilder negative = plan;
  negative.artifact.plan.slots.push_back(tensor_of({Dim(-2)}));
  expect_refused(negative, "type");
  PlanBuilder rank = plan;
  rank.artifact.plan.slots.push_back(tensor_of(std::vector<Dim>(17, Dim(1))));
  expect_refused(rank, "type");
  PlanBuilder symbol = plan;
  symbol.artifact.plan.slots.push_back(tensor_of({Dim(SymbolId(5))}));
  expect_refused(symbol, "type");
}

TEST(PlanCheck, reading_a_slot_that_was_never_written_is_an_error_not_a_crash) {
  PlanBuilder plan;
  const SlotIndex never = plan.slot("f32[1]");
  const SlotIndex y = plan.slot("f32[1]");
  plan.call("identity", {never}, {y});
  plan.ret({y});
  const auto called = run(plan, {});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code, "run.bad_plan");
  PlanBuilder branch;
  const SlotIndex condition = branch.slot("bool");
  branch.add(PlanBranch{condition, PlanEdge{1, {}, {}}, PlanEdge{1, {}, {}}});
  branch.ret({});
  const auto branched = run(branch, {});
  ASSERT_FALSE(branched);
  EXPECT_EQ(branched.error().code, "run.bad_plan");
}

}  // namespace
}  // namespace dycl::runtime::testing
