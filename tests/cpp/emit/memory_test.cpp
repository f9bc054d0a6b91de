// SPDX-License-Identifier: Apache-2.0
// Where the tensors of an emitted program lie: nothing that is alive is written over.
#include "emit/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dycl::emit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Type floats(std::int64_t count) { return TensorType{DType::F32, std::vector<Dim>{Dim(count)}, {}}; }

PlanInstruction call(std::uint32_t subnet, SlotIndex input, SlotIndex output, std::vector<SlotIndex> dead) {
  return {PlanCall{subnet, {input}, {output}}, std::move(dead), {}};
}

MemoryPlan planned(const HostPlan& plan) { return plan_memory(plan, flow_of(plan)); }

// y = s3(s2(s1(s0(x))))
HostPlan chain() {
  HostPlan plan;
  plan.slots = {floats(16), floats(16), floats(16), floats(16), floats(16)};
  plan.inputs = {{"x", floats(16), 0, false}};
  plan.code = {call(0, 0, 1, {0}),
               call(1, 1, 2, {1}),
               call(2, 2, 3, {2}),
               call(3, 3, 4, {3}),
               {PlanReturn{{4}}, {}, {}}};
  return plan;
}

TEST(EmittedMemory, TensorsThatAreNotAliveTogetherShareTheirPlace) {
  const MemoryPlan memory = planned(chain());
  EXPECT_EQ(memory.arena_bytes, 128U) << "what is read and what is written, 64 bytes each";
  EXPECT_EQ(memory.web_of(1).offsets, memory.web_of(3).offsets);
  EXPECT_NE(memory.web_of(1).offsets, memory.web_of(2).offsets);
}

TEST(EmittedMemory, ABiggerTensorTakesAsMuchAsItNeeds) {
  HostPlan plan = chain();
  plan.slots[2] = floats(100);
  const MemoryPlan memory = planned(plan);
  EXPECT_EQ(memory.web_of(2).bytes, 448U);
  EXPECT_EQ(memory.arena_bytes, 512U);
}

// while (…) x = s0(x): the loop needs one buffer to read and one to write.
HostPlan loop() {
  HostPlan plan;
  plan.slots = {floats(16), floats(16), floats(16), ScalarType{ScalarKind::Bool}};
  plan.inputs = {{"x", floats(16), 0, false}, {"again", ScalarType{ScalarKind::Bool}, 3, false}};
  plan.code = {{PlanJump{{1, {{0, 1}}, {0}}}, {}, {}},
               call(0, 1, 2, {1}),
               {PlanBranch{3, {1, {{2, 1}}, {2}}, {3, {}, {}}}, {}, {}},
               {PlanReturn{{2}}, {}, {}}};
  return plan;
}

TEST(EmittedMemory, WhatALoopCarriesHasOneBufferMoreThanItReads) {
  const MemoryPlan memory = planned(loop());
  EXPECT_THAT(memory.web_of(2).offsets, SizeIs(2));
  EXPECT_THAT(memory.makings.at(1).front().avoided, ElementsAre(1));
  EXPECT_TRUE(memory.web_of(2).borrows) << "at first it is the caller's tensor";
}

TEST(EmittedMemory, AResultThatMayBeTheCallersIsCopied) {
  const MemoryPlan memory = planned(loop());
  ASSERT_TRUE(memory.makings.contains(3));
  EXPECT_EQ(memory.makings.at(3).front().slot, 2U);
}

TEST(EmittedMemory, AStateStaysWhileTheNextOneIsMade) {
  HostPlan plan;
  plan.slots = {floats(16), floats(16), floats(16)};
  plan.inputs = {{"x", floats(16), 0, false},
                 {"memory", floats(16), 1, false, std::vector<std::string>{"w"}}};
  plan.code = {call(0, 0, 2, {0, 1}), {PlanReturn{{2, 2}, {}, {1}}, {}, {}}};
  const MemoryPlan memory = planned(plan);
  EXPECT_EQ(memory.web_of_slot[1], memory.web_of_slot[2]);
  EXPECT_THAT(memory.makings.at(0).front().avoided, ElementsAre(1));
  EXPECT_THAT(memory.web_of(2).offsets, SizeIs(2));
}

TEST(EmittedMemory, TensorsOfUnknownSizeOrInListsHaveNoPlannedPlace) {
  HostPlan plan;
  plan.slots = {floats(16), floats(16), seq_of(floats(16)), seq_of(floats(16)),
                TensorType{DType::F32, std::nullopt, {}}};
  plan.inputs = {{"x", floats(16), 0, false}, {"list", seq_of(floats(16)), 2, false}};
  plan.code = {call(0, 0, 1, {}),
               {PlanHost{HostOp::SeqInsert, {}, {2, 1}, {3}}, {2, 1}, {}},
               call(1, 0, 4, {}),
               {PlanReturn{{3, 4}}, {}, {}}};
  const MemoryPlan memory = planned(plan);
  EXPECT_FALSE(memory.is_fixed(1));
  EXPECT_FALSE(memory.is_fixed(4));
  EXPECT_TRUE(memory.is_fixed(0));
  EXPECT_THAT(memory.makings, IsEmpty());
}

}  // namespace
}  // namespace dycl::emit
