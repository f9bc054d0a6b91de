// SPDX-License-Identifier: Apache-2.0
// What programs born in Python need at run time: checks in order, structures per return, decisions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/decisions.h"
#include "runtime/named_outputs.h"
#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Values = std::vector<RuntimeValue>;

std::uint32_t check(PlanBuilder& plan, SlotIndex condition, const std::string& type, std::uint32_t line) {
  const std::uint32_t at =
      plan.add(PlanHost{HostOp::Check, {{"type", type}, {"message", type + " was raised"}}, {condition}, {}});
  plan.source(at, "model.py", line);
  return at;
}

// Two checks, of a scalar and of a tensor, then 1 // n.
PlanBuilder checking_plan() {
  PlanBuilder plan;
  const SlotIndex first = plan.input("first", "bool");
  const SlotIndex second = plan.input("second", "bool[1]");
  const SlotIndex n = plan.input("n", "int");
  check(plan, first, "IndexError", 3);
  const std::uint32_t inner = check(plan, second, "ValueError", 5);
  plan.artifact.plan.code[inner].callers = {{"model.py", 20, 2, ""}};
  plan.ret({plan.value(HostOp::FloorDiv, {n, n}, "int")});
  return plan;
}

Values checked(bool first, bool second, std::int64_t n) {
  return {Scalar(first), of(DType::Bool, {1}, {static_cast<unsigned char>(second ? 1 : 0)}), Scalar(n)};
}

TEST(Checks, let_a_program_pass_that_is_fine) {
  const auto results = run(checking_plan(), checked(false, false, 3));
  ASSERT_TRUE(results) << to_string(results.error());
  EXPECT_EQ(std::get<Scalar>(results->at(0)), Scalar(std::int64_t{1}));
}

TEST(Checks, raise_what_they_say_where_they_stand) {
  const auto results = run(checking_plan(), checked(false, true, 3));
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "model.raised");
  EXPECT_EQ(results.error().exception_type, "ValueError");
  EXPECT_EQ(results.error().message, "ValueError was raised");
  EXPECT_EQ(to_string(results.error().span), "model.py:5:1");
}

TEST(Checks, and_what_else_raises_keep_the_order_of_the_model) {
  EXPECT_EQ(run(checking_plan(), checked(true, true, 0)).error().exception_type, "IndexError");
  EXPECT_EQ(run(checking_plan(), checked(false, true, 0)).error().exception_type, "ValueError");
  EXPECT_EQ(run(checking_plan(), checked(false, false, 0)).error().exception_type, "ZeroDivisionError");
}

ResultTree tree(ResultNode node) { return std::make_shared<const ResultNode>(std::move(node)); }

// return (x, 7) if flag.item() else {"x": x, "n": n}
PlanBuilder choosing_plan() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[n]");
  const SlotIndex flag = plan.input("flag", "bool[]");
  const SlotIndex n = plan.input("n", "int");
  const SlotIndex truth = plan.value(HostOp::Item, {flag}, "bool", {{"decision", std::string("bool")}});
  plan.add(PlanBranch{truth, PlanEdge{2, {}, {}}, PlanEdge{3, {}, {}}});
  plan.add(PlanReturn{
      {x}, tree(ResultList{ResultListKind::Tuple, {ResultValue{0}, ResultConstant(std::int64_t{7})}})});
  plan.add(PlanReturn{
      {x, n},
      tree(ResultDict{{{ResultConstant("x"), ResultValue{0}}, {ResultConstant("n"), ResultValue{1}}}})});
  plan.artifact.plan.blocks = {{0, 0}, {2, 4}, {3, 5}};
  return plan;
}

Values chosen(bool flag) {
  return {f32({2}, {1, 2}), of(DType::Bool, {}, {static_cast<unsigned char>(flag ? 1 : 0)}),
          Scalar(std::int64_t{9})};
}

std::vector<std::string> names_of(const RunSession& session, const Values& outputs) {
  std::vector<std::string> names;
  for (const NamedOutput& output :
       named_outputs(session.program().artifact().plan, *session.last_return(), outputs))
    names.push_back(output.name + " " + describe(output.value));
  return names;
}

TEST(Structures, are_those_of_the_return_that_was_taken) {
  RunSession session(load_or_die(choosing_plan()));
  EXPECT_TRUE(session.program().facts().returns_structures);
  EXPECT_EQ(session.last_return(), nullptr);
  Values outputs;
  ASSERT_TRUE(session.run(chosen(true), outputs));
  ASSERT_NE(session.last_return(), nullptr);
  EXPECT_THAT(names_of(session, outputs), ElementsAre("0 f32[2]", "1 int"));
  ASSERT_TRUE(session.run(chosen(false), outputs));
  EXPECT_THAT(names_of(session, outputs), ElementsAre("x f32[2]", "n int"));
  const auto ports = returned_ports(session.program().artifact().plan, *session.last_return());
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(session.program().type_text(ports[0].type), "f32[n]");
  EXPECT_EQ(ports[1].name, "n");
  EXPECT_FALSE(session.run({}, outputs));
  EXPECT_EQ(session.last_return(), nullptr) << "a run that failed returned nothing";
}

TEST(Structures, that_name_values_which_are_not_returned_are_refused_at_load) {
  PlanBuilder plan = choosing_plan();
  std::get<PlanReturn>(plan.artifact.plan.code[2].operation).tree = tree(ResultValue{1});
  const auto loaded = load(plan.artifact);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().blame, Blame::Package);
}

TEST(Decisions, are_the_values_read_and_the_edges_taken) {
  RunSession session(load_or_die(choosing_plan()));
  DecisionTrace trace;
  session.set_decisions(&trace);
  ASSERT_TRUE(session.run(chosen(true)));
  ASSERT_TRUE(session.run(chosen(false)));
  ASSERT_TRUE(session.run(chosen(false)));
  ASSERT_EQ(trace.reads.size(), 3U);
  EXPECT_EQ(trace.reads[0].instruction, 0U);
  EXPECT_EQ(trace.reads[0].value, Scalar(true));
  EXPECT_EQ(trace.reads[1].value, Scalar(false));
  EXPECT_THAT(trace.edges, ElementsAre(Pair(TakenEdge{0, 4, 0}, 1U), Pair(TakenEdge{0, 5, 1}, 2U)));
  session.set_decisions(nullptr);
  ASSERT_TRUE(session.run(chosen(true)));
  EXPECT_EQ(trace.reads.size(), 3U) << "it was switched off";
}

TEST(Decisions, leave_out_what_the_model_did_not_read) {
  PlanBuilder plan = choosing_plan();
  std::get<PlanHost>(plan.artifact.plan.code[0].operation).attributes.clear();
  RunSession session(load_or_die(plan));
  DecisionTrace trace;
  session.set_decisions(&trace);
  ASSERT_TRUE(session.run(chosen(true)));
  EXPECT_TRUE(trace.reads.empty());
  EXPECT_EQ(trace.edges.size(), 1U);
}

}  // namespace
}  // namespace dycl::runtime::testing
