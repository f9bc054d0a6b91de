// SPDX-License-Identifier: Apache-2.0
#include "host_gen/host_gen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl::host_gen {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

HostPlan plan_of(std::string_view text, std::size_t* distinct = nullptr) {
  Result<Hcfg> graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << (graph ? "" : to_string(graph.error()));
  BackendDescription backend;
  backend.opset = 21;
  backend.ir_version = 10;
  const auto legal = legalize::legalize_subnets(*graph, backend);
  EXPECT_TRUE(legal);
  auto subnets = subnet::stamp_subnets(*graph, *legal, backend);
  EXPECT_TRUE(subnets);
  if (distinct != nullptr) {
    std::set<std::string> hashes;
    for (const subnet::SubnetInstance& subnet : *subnets) hashes.insert(subnet.hash);
    *distinct = hashes.size();
  }
  return generate_host(*graph, *subnets).plan;
}

template <class T>
const T& operation(const HostPlan& plan, std::size_t index) {
  return std::get<T>(plan.code.at(index).operation);
}

constexpr std::string_view kDiamond = R"(hcfg main(%x: f32[n], %t: bool[]) -> (y: f32[n]) {
  b0:
    subnet s0 {
      %h: f32[n] = Relu@14(%x)
    }
    %c: bool = item(%t)
    branch %c ? b1() : b2()
  b1:
    subnet s1 {
      %a: f32[n] = Neg@13(%h)
    }
    jump b3(%a)
  b2:
    jump b3(%x)
  b3(%y: f32[n]):
    return %y
}
)";

TEST(HostGen, EachBlockBecomesARunOfInstructionsThatEndsInATransfer) {
  const HostPlan plan = plan_of(kDiamond);
  EXPECT_EQ(operation<PlanCall>(plan, 0).inputs, std::vector<SlotIndex>{plan.inputs[0].slot});
  EXPECT_EQ(operation<PlanHost>(plan, 1).op, HostOp::Item);
  const auto& branch = operation<PlanBranch>(plan, 2);
  EXPECT_TRUE(std::holds_alternative<PlanCall>(plan.code.at(branch.then_edge.target).operation));
  EXPECT_TRUE(std::holds_alternative<PlanJump>(plan.code.at(branch.else_edge.target).operation));
}

TEST(HostGen, AValueDiesOnTheEdgeWhereNobodyNeedsItAnyMore) {
  const HostPlan plan = plan_of(kDiamond);
  const SlotIndex h = operation<PlanCall>(plan, 0).outputs[0];
  const auto& branch = operation<PlanBranch>(plan, 2);
  EXPECT_THAT(branch.else_edge.dead, Contains(h));
  EXPECT_THAT(branch.then_edge.dead, Not(Contains(h)));
  EXPECT_THAT(plan.code.at(branch.then_edge.target).dead, Contains(h));
}

TEST(HostGen, ALoopDoesNotReleaseTheParametersItWrites) {
  const HostPlan plan = plan_of(R"(hcfg main(%a: f32[2], %b: f32[2], %c: bool) -> (y: f32[2]) {
  b0:
    jump b1(%a, %b)
  b1(%p: f32[2], %q: f32[2]):
    branch %c ? b2() : b3()
  b2:
    jump b1(%q, %p)
  b3:
    return %p
}
)");
  const auto& swap = operation<PlanJump>(plan, 2);
  EXPECT_EQ(swap.edge.moves.size(), 2U);
  EXPECT_THAT(swap.edge.dead, IsEmpty());
}

TEST(HostGen, SubnetsThatAreEqualShareAHash) {
  std::size_t distinct = 0;
  const HostPlan plan = plan_of(R"(hcfg main(%x: f32[2], %t: bool[]) -> (y: f32[2]) {
  b0:
    subnet s0 {
      %h: f32[2] = Relu@14(%x)
    }
    %c: bool = item(%t)
    branch %c ? b1() : b2(%h)
  b1:
    subnet s1 {
      %g: f32[2] = Relu@14(%h)
    }
    jump b2(%g)
  b2(%y: f32[2]):
    return %y
}
)",
                                &distinct);
  EXPECT_EQ(plan.subnets.size(), 2U);
  EXPECT_EQ(distinct, 1U);
  EXPECT_EQ(plan.subnets[0].hash, plan.subnets[1].hash);
}

TEST(HostGen, SubnetsThatDrawRandomNumbersAreNeverShared) {
  std::size_t distinct = 0;
  plan_of(R"(hcfg main(%t: bool[]) -> (y: f32[2], z: f32[2]) {
  b0:
    subnet s0 {
      %a: f32[2] = RandomUniform@1() {seed=3.0, shape=[2]}
    }
    %c: bool = item(%t)
    subnet s1 {
      %b: f32[2] = RandomUniform@1() {seed=3.0, shape=[2]}
    }
    return %a, %b
}
)",
          &distinct);
  EXPECT_EQ(distinct, 2U);
}

}  // namespace
}  // namespace dycl::host_gen
