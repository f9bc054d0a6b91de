// SPDX-License-Identifier: Apache-2.0
#include "runtime/native_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "runtime/plan_builder.h"
#include "support/fake_backend.h"

namespace dycl::runtime::testing {
namespace {

constexpr std::string_view kCode = "machine code";

PlanBuilder program_with_blob(const std::string& backend) {
  PlanBuilder plan;
  const SlotIndex x = plan.input("x", "f32[1]");
  const SlotIndex y = plan.slot("f32[1]");
  plan.call("identity", {x}, {y});
  plan.ret({y});
  plan.artifact.subnets.begin()->second.blobs[backend] = kCode;
  return plan;
}

// The plan runs on the backend "fake", whose plugin says `kind` of its blobs.
Status load_where(const std::string& kind, const PlanBuilder& plan, const LoadOptions& options = {}) {
  const std::string traits = R"({"blob": ")" + kind + "\"}";
  DyclBackendApi api = fake::api();
  api.traits = traits.c_str();
  BackendRegistry registry;
  registry.add_linked(api);
  auto verified = verify_runnable(plan.artifact);
  if (!verified) return failure_of(std::move(verified));
  auto program = LoadedProgram::load(*std::move(verified), registry, options);
  return program ? Status() : failure_of(std::move(program));
}

void expect_refused(const Status& status) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "package.native_code");
  EXPECT_EQ(status.error().blame, Blame::Package);
}

TEST(NativeCode, IsLoadedOnlyWhereItIsAllowedOrTrusted) {
  const PlanBuilder plan = program_with_blob("fake");
  const std::int64_t before = fake::loads();
  expect_refused(load_where("native", plan));
  EXPECT_EQ(fake::loads(), before);
  LoadOptions allowed;
  allowed.allow_native = true;
  EXPECT_TRUE(load_where("native", plan, allowed));
  LoadOptions trusted;
  trusted.trusted_blobs = {sha256_hex(kCode)};
  EXPECT_TRUE(load_where("native", plan, trusted));
  trusted.trusted_blobs = {sha256_hex("other code")};
  expect_refused(load_where("native", plan, trusted));
}

TEST(NativeCode, IsNotWhatThePluginInterpretsOrIgnores) {
  EXPECT_TRUE(load_where("data", program_with_blob("fake")));
  EXPECT_TRUE(load_where("none", program_with_blob("fake")));
}

TEST(NativeCode, IsSuspectedOfABackendThatIsNotHere) {
  expect_refused(load_where("data", program_with_blob("absent")));
}

TEST(NativeCode, IsNotDecidedByWhatThePackageSays) {
  PlanBuilder plan = program_with_blob("fake");
  plan.artifact.backends["fake"] = {"1", true};
  expect_refused(load_where("native", plan));
}

}  // namespace
}  // namespace dycl::runtime::testing
