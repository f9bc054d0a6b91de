// SPDX-License-Identifier: Apache-2.0
// A program of its own: it counts every allocation of the process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/plan_builder.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace dycl::runtime::testing {
namespace {

// A loop of sub-DNNs with host scalars, a condition computed by a sub-DNN, views, and a sequence that is
// filled and joined again: what a decoder does.
PlanBuilder busy_program() {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "i64[4]");
  const SlotIndex limit = plan.input("limit", "i64[]");
  const SlotIndex total = plan.slot("i64[]");
  const SlotIndex less = plan.slot("bool[]");
  const SlotIndex go_on = plan.slot("bool");
  const SlotIndex next = plan.slot("i64[4]");
  const SlotIndex row = plan.slot("i64[1,4]");
  const SlotIndex history = plan.slot("seq<i64[1,4]>");
  const SlotIndex longer = plan.slot("seq<i64[1,4]>");
  const SlotIndex joined = plan.slot("i64[*]");
  plan.host(HostOp::SeqEmpty, {}, history);
  const std::uint32_t header = plan.call("sum", {x}, {total});
  plan.call("less", {total, limit}, {less}, {total});
  plan.host(HostOp::Item, {less}, go_on, {less});
  plan.add(PlanBranch{go_on, PlanEdge{header + 4, {}, {}}, PlanEdge{header + 8, {}, {}}}, {go_on});
  plan.call("add_one", {x}, {next}, {x});
  plan.host(HostOp::View, {next}, row, {}, {{"dims", Attribute(std::vector<std::int64_t>{1, 4})}});
  plan.host(HostOp::SeqInsert, {history, row}, longer, {history, row});
  plan.add(PlanJump{PlanEdge{header, {{next, x}, {longer, history}}, {next, longer}}});
  plan.host(HostOp::SeqConcat, {history}, joined, {history}, {{"axis", Attribute(std::int64_t{0})}});
  plan.ret({x, joined});
  return plan;
}

TEST(Allocation, a_warmed_up_run_with_static_shapes_allocates_nothing) {
  RunSession session(load_or_die(busy_program()));
  const std::vector<RuntimeValue> inputs{i64({4}, {0, 0, 0, 0}), i64({}, {40})};
  std::vector<RuntimeValue> outputs;
  for (int warm_up = 0; warm_up < 2; ++warm_up) ASSERT_TRUE(session.run(inputs, outputs));
  const std::uint64_t before = allocations;
  for (int round = 0; round < 10; ++round) ASSERT_TRUE(session.run(inputs, outputs));
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(i64s(outputs[0]), (std::vector<std::int64_t>{10, 10, 10, 10}));
  EXPECT_EQ(dims(outputs[1]), (std::vector<std::int64_t>{10, 4}));
}

TEST(Allocation, the_counter_counts) {
  const std::uint64_t before = allocations;
  const auto memory = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1U);
  EXPECT_EQ(*memory, 1);
}

}  // namespace
}  // namespace dycl::runtime::testing
