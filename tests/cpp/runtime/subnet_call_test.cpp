// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/plan_builder.h"
#include "support/fake_backend.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Values = std::vector<RuntimeValue>;

PlanBuilder one_call(const std::string& kernel, const std::string& in, const std::string& out) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", in);
  const SlotIndex y = plan.slot(out);
  plan.source(plan.call(kernel, {x}, {y}, {x}), "model.py", 3);
  plan.ret({y});
  return plan;
}

void expect_broken(const PlanBuilder& plan, const RuntimeValue& input, const std::string& text) {
  const auto results = run(plan, {input});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "run.output_contract");
  EXPECT_THAT(results.error().message, HasSubstr("sub-DNN 's0'"));
  EXPECT_THAT(results.error().message, HasSubstr(text));
}

TEST(SubnetCalls, write_into_pool_memory_when_sizes_are_known) {
  for (const std::string type : {"f32[2]", "f32[n]"}) {
    RunSession session(load_or_die(one_call("add_one", type, type)));
    const Values inputs{f32({2}, {1, 2})};
    const auto results = session.run(inputs);
    ASSERT_TRUE(results);
    EXPECT_THAT(f32s(results->at(0)), ElementsAre(2, 3));
    EXPECT_EQ(session.stats().backend_outputs, 0U) << type;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(results->at(0).tensor()->data) % 64, 0U);
  }
}

TEST(SubnetCalls, offer_memory_for_sizes_computed_from_inputs) {
  RunSession session(load_or_die(one_call("twice", "f32[n]", "f32[2*n]")));
  const Values inputs{f32({2}, {1, 2})};
  EXPECT_THAT(f32s(session.run(inputs)->at(0)), ElementsAre(1, 2, 1, 2));
  EXPECT_EQ(session.stats().backend_outputs, 0U);
}

TEST(SubnetCalls, hand_backend_memory_on_and_release_it_after_its_last_reader) {
  const std::int64_t before = fake::live_results();
  RuntimeValue kept;
  {
    RunSession session(load_or_die(one_call("twice", "f32[n]", "f32[m]")));
    const Values inputs{f32({1}, {4})};
    kept = session.run(inputs)->at(0);
    EXPECT_EQ(session.stats().backend_outputs, 1U);
    EXPECT_EQ(fake::live_results(), before + 1);
  }
  EXPECT_THAT(f32s(kept), ElementsAre(4, 4)) << "a result outlives its session";
  EXPECT_TRUE(kept.tensor()->writable());
  kept = NoValue{};
  EXPECT_EQ(fake::live_results(), before);
}

TEST(SubnetCalls, that_fail_name_sub_dnn_backend_and_source) {
  const auto results = run(one_call("fail", "f32[1]", "f32[1]"), {f32({1}, {1})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().blame, Blame::Backend);
  EXPECT_EQ(results.error().code, "run.backend");
  EXPECT_EQ(results.error().message, "sub-DNN 's0' failed: fake: the kernel fails on purpose");
  EXPECT_EQ(to_string(results.error().span), "model.py:3:1");
}

TEST(SubnetCalls, that_break_a_promise_are_errors) {
  const RuntimeValue x = f32({2}, {1, 2});
  expect_broken(one_call("wrong_size", "f32[2]", "f32[2]"), x, "f32[3] where size 2 is promised in dim 0");
  expect_broken(one_call("wrong_size", "f32[n]", "f32[n]"), x, "f32[3] where size 2 is promised in dim 0");
  expect_broken(one_call("wrong_size", "f32[2]", "f32[m,k]"), x, "f32[3] where 2 dims are promised");
  expect_broken(one_call("wrong_dtype", "f32[2]", "f32[2]"), x, "i8[2] where f32 is promised");
  expect_broken(one_call("wrong_bytes", "f32[2]", "f32[m]"), x, "f32[2] in 1 bytes");
  EXPECT_TRUE(run(one_call("wrong_size", "f32[2]", "f32[m]"), {x})) << "m was no promise";
}

TEST(SubnetCalls, hand_strings_through) {
  const auto results = run(one_call("identity", "str[2]", "str[2]"), {strings({2}, {"ab", ""})});
  ASSERT_TRUE(results) << to_string(results.error());
  EXPECT_THAT(texts(results->at(0)), ElementsAre("ab", ""));
}

TEST(SubnetCalls, handle_tensors_without_elements) {
  const auto results = run(one_call("add_one", "f32[n,3]", "f32[n,3]"), {f32({0, 3}, {})});
  ASSERT_TRUE(results) << to_string(results.error());
  EXPECT_THAT(dims(results->at(0)), ElementsAre(0, 3));
}

TEST(SubnetCalls, chain_without_copies) {
  PlanBuilder plan;
  SlotIndex value = plan.input("x", "f32[4]");
  for (int index = 0; index < 10; ++index) {
    const SlotIndex next = plan.slot("f32[4]");
    plan.call("add_one", {value}, {next}, {value});
    value = next;
  }
  plan.ret({value});
  RunSession session(load_or_die(plan));
  const Values inputs{f32({4}, {0, 1, 2, 3})};
  EXPECT_THAT(f32s(session.run(inputs)->at(0)), ElementsAre(10, 11, 12, 13));
  EXPECT_LE(session.stats().pool_bytes, 3 * 64U) << "dead buffers are used again";
}

PlanBuilder guarded() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex y = plan.slot("f32[2]");
  plan.call("negative_guard", {x}, {y}, {x}, {PlanGuard{"ValueError", "negative!", {"model.py", 9, 2, ""}}});
  plan.ret({y});
  return plan;
}

TEST(Guards, raise_when_true_and_are_silent_when_false) {
  const std::int64_t before = fake::live_results();
  EXPECT_THAT(f32s(run(guarded(), {f32({2}, {1, 2})})->at(0)), ElementsAre(1, 2));
  const auto results = run(guarded(), {f32({2}, {1, -2})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().blame, Blame::Model);
  EXPECT_EQ(results.error().exception_type, "ValueError");
  EXPECT_EQ(results.error().message, "negative!");
  EXPECT_EQ(to_string(results.error().span), "model.py:9:2");
  EXPECT_EQ(fake::live_results(), before);
}

TEST(Loading, shares_equal_sub_dnns_and_keeps_weights_in_place) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[2]");
  const SlotIndex y = plan.slot("f32[2]");
  const SlotIndex z = plan.slot("f32[2]");
  plan.artifact.weights["w"] =
      std::make_shared<const TensorData>(make_tensor_of<float>(DType::F32, {2}, std::vector<float>{10, 20}));
  plan.call("add_weight", {x}, {y}, {}, {}, {"w"});
  plan.call("add_weight", {y}, {z}, {}, {}, {"w"});
  plan.ret({z});
  const std::int64_t before = fake::loads();
  const auto program = load_or_die(plan);
  EXPECT_EQ(fake::loads(), before + 1);
  EXPECT_EQ(program->facts().subnets, 2U);
  EXPECT_EQ(program->facts().distinct_subnets, 1U);
  EXPECT_EQ(program->facts().weight_bytes, 8U);
  RunSession session(program);
  const Values inputs{f32({2}, {1, 2})};
  EXPECT_THAT(f32s(session.run(inputs)->at(0)), ElementsAre(21, 42));
}

TEST(Loading, makes_backend_calls_only_when_they_are_reached) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex c = plan.input("c", "bool");
  plan.add(PlanBranch{c, PlanEdge{1, {}, {}}, PlanEdge{2, {}, {}}});
  plan.call("add_one", {x}, {x});
  plan.ret({x});
  const std::int64_t before = fake::live_calls();
  RunSession session(load_or_die(plan));
  const Values skipped{f32({1}, {1}), Scalar(false)};
  const Values reached{f32({1}, {1}), Scalar(true)};
  ASSERT_TRUE(session.run(skipped));
  EXPECT_EQ(fake::live_calls(), before);
  ASSERT_TRUE(session.run(reached));
  EXPECT_EQ(fake::live_calls(), before + 1);
}

TEST(Loading, reports_what_is_missing) {
  PlanBuilder plan = one_call("no_such_kernel", "f32[1]", "f32[1]");
  const auto unknown = load(plan.artifact);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().blame, Blame::Backend);
  EXPECT_THAT(unknown.error().message, HasSubstr("sub-DNN 's0' cannot be loaded"));
  plan.artifact.subnets.clear();
  const auto absent = load(plan.artifact);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().blame, Blame::Package);
  const auto no_backend = LoadedProgram::load(verify_runnable(plan.artifact).value(), OpenedBackends{});
  ASSERT_FALSE(no_backend);
  EXPECT_EQ(no_backend.error().code, "run.no_backend");
}

}  // namespace
}  // namespace dycl::runtime::testing
