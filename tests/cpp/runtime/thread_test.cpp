// SPDX-License-Identifier: Apache-2.0
// What the thread sanitizer watches: one program, many sessions, values dropped by other threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using Values = std::vector<RuntimeValue>;

constexpr int kThreads = 8;
constexpr int kRuns = 2000;

// Adds 1 while the sum is below `limit`; the path depends on the input. Backend memory too: "twice".
PlanBuilder dynamic_program() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "i64[3]");
  const SlotIndex limit = plan.input("limit", "int");
  const SlotIndex w =
      plan.constant("w", make_tensor_of<std::int64_t>(DType::I64, {3}, std::vector<std::int64_t>{1, 1, 1}));
  const SlotIndex total = plan.slot("i64[]");
  const SlotIndex sum = plan.slot("int");
  const SlotIndex go_on = plan.slot("bool");
  const SlotIndex next = plan.slot("i64[3]");
  const SlotIndex doubled = plan.slot("i64[m]");
  const std::uint32_t header = plan.call("sum", {x}, {total});
  plan.host(HostOp::Item, {total}, sum, {total});
  plan.host(HostOp::Lt, {sum, limit}, go_on, {sum});
  plan.add(PlanBranch{go_on, PlanEdge{header + 4, {}, {}}, PlanEdge{header + 6, {}, {}}}, {go_on});
  plan.call("add", {x, w}, {next}, {x});
  plan.add(PlanJump{PlanEdge{header, {{next, x}}, {next}}});
  plan.call("twice", {x}, {doubled}, {x});
  plan.ret({doubled, plan.artifact.plan.constants[0].slot});
  return plan;
}

std::int64_t expected_value(std::int64_t limit) { return (limit + 2) / 3; }

TEST(Threads, eight_sessions_of_one_program_give_the_same_answers) {
  const auto program = load_or_die(dynamic_program());
  std::atomic<int> wrong{0};
  const auto work = [&](int seed) {
    RunSession session(program);
    Values outputs;
    for (int round = 0; round < kRuns; ++round) {
      const std::int64_t limit = (seed * 7 + round) % 30;
      const Values inputs{i64({3}, {0, 0, 0}), Scalar(limit)};
      if (!session.run(inputs, outputs) ||
          i64s(outputs[0]) != std::vector<std::int64_t>(6, expected_value(limit)))
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < kThreads; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, results_may_be_dropped_by_another_thread_while_the_session_runs) {
  const auto program = load_or_die(dynamic_program());
  std::mutex mutex;
  Values passed_on;
  std::atomic<bool> done{false};
  std::thread consumer([&] {
    while (!done) {
      Values taken;
      {
        const std::lock_guard lock(mutex);
        taken.swap(passed_on);
      }
      for (const RuntimeValue& value : taken) ASSERT_EQ(value.tensor()->count() % 3, 0);
    }
  });
  {
    RunSession session(program);
    for (int round = 0; round < kRuns; ++round) {
      const Values inputs{i64({3}, {0, 0, 0}), Scalar(std::int64_t{round % 20})};
      auto results = session.run(inputs);
      ASSERT_TRUE(results);
      const std::lock_guard lock(mutex);
      for (RuntimeValue& value : *results) passed_on.push_back(std::move(value));
    }
  }  // the session ends before its last results
  done = true;
  consumer.join();
  const std::lock_guard lock(mutex);
  passed_on.clear();
}

TEST(Threads, a_session_used_by_two_at_once_is_refused_not_raced) {
  PlanBuilder plan = dynamic_program();
  RunSession session(load_or_die(plan));
  std::atomic<int> served{0};
  std::atomic<int> refused{0};
  const auto work = [&] {
    for (int round = 0; round < 500; ++round) {
      const Values inputs{i64({3}, {0, 0, 0}), Scalar(std::int64_t{30})};
      const auto results = session.run(inputs);
      if (results)
        ++served;
      else if (results.error().code == "run.session_busy")
        ++refused;
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(served + refused, 1000);
  EXPECT_GT(served, 0);
}

}  // namespace
}  // namespace dycl::runtime::testing
