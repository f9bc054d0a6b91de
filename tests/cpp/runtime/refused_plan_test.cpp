// SPDX-License-Identifier: Apache-2.0
// Plans that no compiler writes: verification refuses them, whoever made them.
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

TEST(RefusedPlan, refuses_wild_slots) {
  PlanBuilder plan;
  plan.input("x", "f32[1]");
  plan.ret({0});
  EXPECT_TRUE(load(plan.artifact));
  PlanBuilder wild_return = plan;
  wild_return.artifact.plan.code[0].operation = PlanReturn{{7}};
  expect_refused(wild_return, "names slot 7, which does not exist");
  PlanBuilder wild_dead = plan;
  wild_dead.artifact.plan.code[0].dead = {9};
  expect_refused(wild_dead, "names slot 9, which does not exist");
  PlanBuilder wild_input = plan;
  wild_input.artifact.plan.inputs[0].slot = 3;
  expect_refused(wild_input, "an input names slot 3, which does not exist");
}

TEST(RefusedPlan, refuses_wild_jumps_and_code_that_runs_off_its_end) {
  PlanBuilder jump;
  jump.add(PlanJump{PlanEdge{1, {}, {}}});
  expect_refused(jump, "instruction 1 does not exist");
  PlanBuilder open_end;
  open_end.value(HostOp::Const, {}, "int", {{"value", Attribute(std::int64_t{1})}});
  expect_refused(open_end, "control falls off the end");
  expect_refused(PlanBuilder(), "no instructions");
}

TEST(RefusedPlan, refuses_wild_sub_dnns_and_wrong_operands) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  plan.add(PlanCall{3, {x}, {x}});
  plan.ret({x});
  expect_refused(plan, "sub-DNN 3 does not exist");
  PlanBuilder scalar;
  const SlotIndex n = scalar.input("n", "int");
  scalar.call("identity", {n}, {n});
  scalar.ret({n});
  expect_refused(scalar, "goes to or from a sub-DNN but is not a tensor");
  PlanBuilder operands;
  const SlotIndex m = operands.input("n", "int");
  operands.host(HostOp::Add, {m}, m);
  operands.ret({m});
  expect_refused(operands, "host operation add");
}

TEST(RefusedPlan, refuses_overwritten_constants_and_moves_onto_one_slot) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex w = plan.constant("w", make_tensor_of<float>(DType::F32, {1}, std::vector<float>{1}));
  plan.call("identity", {x}, {w});
  plan.ret({x});
  expect_refused(plan, "is a constant and cannot be written");
  PlanBuilder moves;
  const SlotIndex a = moves.input("a", "int");
  const SlotIndex b = moves.input("b", "int");
  moves.add(PlanJump{PlanEdge{1, {{a, b}, {b, b}}, {}}});
  moves.ret({b});
  expect_refused(moves, "two moves write slot");
}

TEST(RefusedPlan, refuses_wrong_counts_and_missing_weights) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "int");
  plan.output("y", "int");
  plan.ret({x, x});
  expect_refused(plan, "2 values are returned, the program has 1 outputs");
  PlanBuilder raise;
  raise.add(PlanRaise{"ValueError", "{} {}", {}});
  expect_refused(raise, "does not take as many scalars");
  PlanBuilder weight;
  weight.constant("w", make_tensor_of<float>(DType::F32, {1}, std::vector<float>{1}));
  weight.ret({});
  weight.artifact.weights.clear();
  expect_refused(weight, "the constant 'w' is not in the package");
}

Type tensor_of(std::vector<Dim> dims) {
  TensorType type;
  type.dims = std::move(dims);
  return type;
}

TEST(RefusedPlan, refuses_types_that_cannot_be_run) {
  PlanBuilder plan;
  plan.ret({});
  PlanBuilder nested = plan;
  nested.artifact.plan.slots.push_back(optional_of(optional_of(ScalarType{})));
  expect_refused(nested, "slot 0: ");
  PlanBuilder negative = plan;
  negative.artifact.plan.slots.push_back(tensor_of({Dim(-2)}));
  expect_refused(negative, "slot 0: a size is negative");
  PlanBuilder rank = plan;
  rank.artifact.plan.slots.push_back(tensor_of(std::vector<Dim>(17, Dim(1))));
  expect_refused(rank, "slot 0: ");
  PlanBuilder symbol = plan;
  symbol.artifact.plan.slots.push_back(tensor_of({Dim(SymbolId(5))}));
  expect_refused(symbol, "slot 0: ");
}

TEST(RefusedPlan, refuses_to_read_a_slot_that_was_never_written) {
  PlanBuilder plan;
  const SlotIndex never = plan.slot("f32[1]");
  const SlotIndex y = plan.slot("f32[1]");
  plan.call("identity", {never}, {y});
  plan.ret({y});
  expect_refused(plan, "slot 0 may be empty when it is read");
  PlanBuilder branch;
  const SlotIndex condition = branch.slot("bool");
  branch.add(PlanBranch{condition, PlanEdge{1, {}, {}}, PlanEdge{1, {}, {}}});
  branch.ret({});
  expect_refused(branch, "slot 0 may be empty when it is read");
}

}  // namespace
}  // namespace dycl::runtime::testing
