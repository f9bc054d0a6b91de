// SPDX-License-Identifier: Apache-2.0
#include "backend/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace dycl {
namespace {

using testing::HasSubstr;

ProbeRequest misbehaving(std::string how) {
  ProbeRequest request;
  request.program = DYCL_TEST_PROBE;
  request.backend.name = "misbehaving";
  request.backend.plugin = DYCL_TEST_MISBEHAVING;
  request.backend.precision = std::move(how);
  return request;
}

TEST(Probe, FindsAWorkingBackendUsable) {
  ProbeRequest request;
  request.program = DYCL_TEST_PROBE;
  request.backend.name = "skeleton";
  request.backend.plugin = DYCL_TEST_SKELETON;
  const auto report = probe_backend(request);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_TRUE(report->usable) << report->message;
  EXPECT_THAT(report->message, HasSubstr("skeleton"));
}

TEST(Probe, NamesTheSignalThatKilledABackend) {
  const auto report = probe_backend(misbehaving("SIGILL"));
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_FALSE(report->usable);
  EXPECT_THAT(report->message, HasSubstr("misbehaving died with SIGILL in a first inference"));
  EXPECT_THAT(probe_backend(misbehaving("SIGSEGV")).value().message, HasSubstr("SIGSEGV"));
}

TEST(Probe, EndsABackendThatHangs) {
  ProbeRequest request = misbehaving("hang");
  request.limit = std::chrono::milliseconds(300);
  const auto report = probe_backend(request);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_FALSE(report->usable);
  EXPECT_THAT(report->message, HasSubstr("300 ms"));
}

TEST(Probe, ReportsAQuietExitAndAnErrorText) {
  EXPECT_THAT(probe_backend(misbehaving("exit")).value().message, HasSubstr("exit code 3"));
  const auto report = probe_backend(misbehaving("f32")).value();
  EXPECT_FALSE(report.usable);
  EXPECT_THAT(report.message, HasSubstr("it does not want to"));
}

TEST(Probe, RemembersItsAnswers) {
  const test::TemporaryFolder folder;
  ProbeRequest request = misbehaving("SIGILL");
  request.cache = folder.path() / "answers";
  EXPECT_FALSE(probe_backend(request).value().remembered);
  const auto again = probe_backend(request).value();
  EXPECT_TRUE(again.remembered);
  EXPECT_THAT(again.message, HasSubstr("SIGILL"));
  request.backend.precision = "SIGSEGV";
  EXPECT_FALSE(probe_backend(request).value().remembered);
}

TEST(Probe, DoesNotRememberATimeOut) {
  const test::TemporaryFolder folder;
  ProbeRequest request = misbehaving("hang");
  request.limit = std::chrono::milliseconds(200);
  request.cache = folder.path();
  EXPECT_FALSE(probe_backend(request).value().remembered);
  EXPECT_FALSE(probe_backend(request).value().remembered);
}

TEST(Probe, IgnoresADamagedCache) {
  const test::TemporaryFolder folder;
  ProbeRequest request = misbehaving("SIGILL");
  request.cache = folder.path();
  ASSERT_TRUE(probe_backend(request));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "{";
  EXPECT_FALSE(probe_backend(request).value().remembered);
}

TEST(Probe, ThatIsMissingIsAnError) {
  ProbeRequest request = misbehaving("f32");
  request.program = "/nowhere/dycl-probe";
  const auto report = probe_backend(request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "probe.cannot_start");
}

}  // namespace
}  // namespace dycl
