// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {
namespace {

using Values = std::vector<RuntimeValue>;

PlanBuilder traced_plan() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "i64[2]");
  const SlotIndex total = plan.slot("i64[]");
  plan.source(plan.call("sum", {x}, {total}), "model.py", 4);
  plan.ret({plan.value(HostOp::Item, {total}, "int")});
  return plan;
}

TEST(Trace, holds_each_call_and_host_operation_as_chrome_events) {
  RunSession session(load_or_die(traced_plan()));
  TraceRecorder recorder;
  session.set_trace(&recorder);
  const Values inputs{i64({2}, {1, 2})};
  ASSERT_TRUE(session.run(inputs));
  const auto json = nlohmann::json::parse(recorder.to_json());
  const auto& events = json.at("traceEvents");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].at("name"), "s0");
  EXPECT_EQ(events[0].at("cat"), "subnet");
  EXPECT_EQ(events[0].at("args").at("backend"), "fake");
  EXPECT_EQ(events[0].at("args").at("source"), "model.py:4:1");
  EXPECT_EQ(events[1].at("name"), "item");
  EXPECT_EQ(events[2].at("name"), "run");
  EXPECT_GE(events[2].at("dur").get<double>(), events[0].at("dur").get<double>());
  const auto times = recorder.subnet_times();
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].calls, 1U);
  EXPECT_EQ(times[0].median, times[0].total);
  EXPECT_GE(recorder.median_run(), times[0].median);
  EXPECT_EQ(TraceRecorder().median_run().count(), 0);
}

TEST(Trace, is_off_unless_set_and_can_be_switched_off) {
  RunSession session(load_or_die(traced_plan()));
  TraceRecorder recorder;
  const Values inputs{i64({2}, {1, 2})};
  ASSERT_TRUE(session.run(inputs));
  session.set_trace(&recorder);
  session.set_trace(nullptr);
  ASSERT_TRUE(session.run(inputs));
  EXPECT_TRUE(recorder.events().empty());
}

TEST(Trace, keeps_at_most_its_limit_and_says_what_it_dropped) {
  RunSession session(load_or_die(traced_plan()));
  TraceRecorder recorder(2);
  session.set_trace(&recorder);
  const Values inputs{i64({2}, {1, 2})};
  ASSERT_TRUE(session.run(inputs));
  EXPECT_EQ(recorder.events().size(), 2U);
  EXPECT_EQ(recorder.dropped(), 1U);
}

TEST(Trace, that_cannot_be_written_is_an_error) {
  const TraceRecorder recorder;
  const Status written = recorder.write("/no/such/folder/trace.json");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "run.trace_file");
}

TEST(Stats, count_what_a_session_did) {
  RunSession session(load_or_die(traced_plan()));
  const Values inputs{i64({2}, {1, 2})};
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(session.run(inputs));
  const RunStats stats = session.stats();
  EXPECT_EQ(stats.runs, 3U);
  EXPECT_EQ(stats.instructions, 9U);
  EXPECT_EQ(stats.subnet_calls, 3U);
  EXPECT_EQ(stats.host_ops, 3U);
}

}  // namespace
}  // namespace dycl::runtime::testing
