// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "skeleton/plugin.h"
#include "temporary_folder.h"

namespace dycl {
namespace {

using testing::HasSubstr;

BackendOptions skeleton_options() {
  BackendOptions options;
  options.name = "skeleton";
  options.plugin = DYCL_TEST_SKELETON;
  return options;
}

TEST(PluginLoading, OpensAPluginAndReadsItsDescription) {
  const auto backend = Backend::open(skeleton_options());
  ASSERT_TRUE(backend) << to_string(backend.error());
  EXPECT_EQ((*backend)->description().name, "skeleton");
  EXPECT_EQ((*backend)->description().version, DYCL_VERSION);
}

TEST(PluginLoading, SaysWhyAPluginCannotBeOpened) {
  BackendOptions options = skeleton_options();
  const test::TemporaryFolder folder;
  options.plugin = folder.touch("libdycl_backend_skeleton.so");
  const auto broken = Backend::open(options);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, "backend.plugin_broken");
  EXPECT_THAT(broken.error().message, HasSubstr(options.plugin.string()));
}

TEST(PluginLoading, RefusesAPluginOfAnotherName) {
  BackendOptions options = skeleton_options();
  options.name = "onnxruntime";
  const auto wrong = Backend::open(options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("calls itself 'skeleton'"));
}

TEST(PluginLoading, RefusesAnotherVersionOfTheInterface) {
  DyclBackendApi api = skeleton::api();
  api.abi_version = 99;
  const auto newer = Backend::open(api, skeleton_options());
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, "backend.plugin_version");
}

TEST(PluginLoading, RefusesATableThatIsTooShortOrHasHoles) {
  DyclBackendApi shorter = skeleton::api();
  shorter.struct_size = 16;
  EXPECT_FALSE(Backend::open(shorter, skeleton_options()));
  DyclBackendApi holed = skeleton::api();
  holed.run = nullptr;
  EXPECT_FALSE(Backend::open(holed, skeleton_options()));
}

TEST(PluginLoading, PassesOnWhatThePluginSays) {
  BackendOptions options = skeleton_options();
  options.precision = "f16";
  const auto refused = Backend::open(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().blame, Blame::Backend);
  EXPECT_EQ(refused.error().message, "skeleton: the skeleton computes in f32 only");
  EXPECT_EQ(refused.error().hint, "leave the precision at f32");
  EXPECT_THAT(refused.error().notes, ::testing::ElementsAre("the plugin calls it skeleton.precision"));
}

}  // namespace
}  // namespace dycl
