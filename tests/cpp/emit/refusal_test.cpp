// SPDX-License-Identifier: Apache-2.0
// Plans that no compiler of ours makes: they are refused, whatever a package holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emit/emit.h"

namespace dycl::emit {
namespace {

using ::testing::HasSubstr;

Artifact calling(int times) {
  const Type number = TensorType{DType::F32, std::vector<Dim>{Dim(2)}, {}};
  Artifact artifact;
  HostPlan& plan = artifact.plan;
  plan.slots = {number, number, number};
  plan.inputs = {{"x", number, 0, false}};
  plan.outputs = {{"y", number, 0, false}};
  plan.subnets = {{"s0", "abc", "skeleton", {}}};
  for (SlotIndex made = 1; made <= static_cast<SlotIndex>(times); ++made)
    plan.code.push_back({PlanCall{0, {0}, {made}}, {}, {}});
  plan.code.push_back({PlanReturn{{times == 0 ? 0U : 1U}}, {}, {}});
  return artifact;
}

TEST(EmittedPlans, CallEachSubnetAtOnePlace) {
  EXPECT_TRUE(emit_program(calling(1), {"net"}));
  for (const int times : {0, 2}) {
    const auto refused = emit_program(calling(times), {"net"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "emit.unsupported");
    EXPECT_THAT(refused.error().message, HasSubstr("'s0' " + std::to_string(times) + " times"));
  }
}

}  // namespace
}  // namespace dycl::emit
