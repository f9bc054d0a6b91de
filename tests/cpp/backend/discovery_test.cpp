// SPDX-License-Identifier: Apache-2.0
#include "backend/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace dycl {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

const VendorLibrary kOrt{"libonnxruntime.so", "onnxruntime/capi", "pip install onnxruntime"};
const VendorLibrary kOpenVino{"libopenvino_c.so", "openvino/libs", "pip install openvino"};
const VendorLibrary kTvm{"libtvm_runtime.so", "tvm/lib", "pip install dycl[tvm]"};

TEST(VendorLibrary, IsFoundFlatlyInAFolder) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libonnxruntime.so.1.31.1");
  EXPECT_EQ(find_vendor_library("onnxruntime", kOrt, {{}, {folder.path()}}).value(), file);
}

TEST(VendorLibrary, IsFoundInTheLayoutOfItsWheel) {
  const TemporaryFolder folder;
  const auto ort = folder.touch("onnxruntime/capi/libonnxruntime.so.1.31.1");
  const auto ov = folder.touch("openvino/libs/libopenvino_c.so.2641");
  const auto tvm = folder.touch("tvm/lib/libtvm_runtime.so");
  EXPECT_EQ(find_vendor_library("onnxruntime", kOrt, {{}, {folder.path()}}).value(), ort);
  EXPECT_EQ(find_vendor_library("openvino", kOpenVino, {{}, {folder.path()}}).value(), ov);
  EXPECT_EQ(find_vendor_library("tvm", kTvm, {{}, {folder.path()}}).value(), tvm);
}

TEST(VendorLibrary, OfTvmComesWithAnExtraOfOurs) {
  const auto missing = find_vendor_library("tvm", kTvm, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "backend.not_installed");
  EXPECT_THAT(missing.error().message, HasSubstr("tvm is not installed"));
  EXPECT_THAT(missing.error().hint, HasSubstr("pip install dycl[tvm]"));
}

TEST(VendorLibrary, OfTheHighestVersionWins) {
  const TemporaryFolder folder;
  folder.touch("libonnxruntime.so.1.9.9");
  const auto newest = folder.touch("libonnxruntime.so.1.31.1");
  folder.touch("libonnxruntime.so.1.4.11");
  EXPECT_EQ(find_vendor_library("onnxruntime", kOrt, {{}, {folder.path()}}).value(), newest);
}

TEST(VendorLibrary, MayBeNamedItself) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libonnxruntime.so.1.31.1");
  EXPECT_EQ(find_vendor_library("onnxruntime", kOrt, {{}, {file}}).value(), file);
}

TEST(VendorLibrary, ThatIsMissingIsAnErrorWithTheInstallCommand) {
  const TemporaryFolder folder;
  const auto missing = find_vendor_library("onnxruntime", kOrt, {{}, {folder.path()}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().blame, Blame::Backend);
  EXPECT_EQ(missing.error().code, "backend.not_installed");
  EXPECT_THAT(missing.error().hint, HasSubstr("pip install onnxruntime"));
  EXPECT_THAT(missing.error().notes, testing::ElementsAre(HasSubstr(folder.path().string())));
}

TEST(VendorLibrary, IsNotSearchedForAPluginThatNeedsNone) {
  EXPECT_EQ(find_library("skeleton", DYCL_TEST_SKELETON, {}).value(), std::filesystem::path());
}

TEST(Plugin, IsFoundByName) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libdycl_backend_mine.so");
  EXPECT_EQ(find_plugin("mine", {{folder.path()}, {}}).value(), file);
}

TEST(Plugin, ThatIsMissingNamesThePlacesAndThoseThatAreThere) {
  const TemporaryFolder folder;
  folder.touch("libdycl_backend_mine.so");
  folder.touch("libdycl_backend_other.so");
  const auto missing = find_plugin("nosuch", {{"/nowhere", folder.path()}, {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "backend.not_installed");
  EXPECT_THAT(missing.error().hint, HasSubstr("mine, other"));
  EXPECT_THAT(missing.error().notes, testing::ElementsAre(HasSubstr("/nowhere")));
}

TEST(Plugin, IsKnownWhenItSaysInWhichOrderItIsTaken) {
  const std::filesystem::path skeleton(DYCL_TEST_SKELETON);
  const SearchPaths paths{{skeleton.parent_path()}, {}};
  EXPECT_TRUE(find_plugins(paths).contains("skeleton"));
  EXPECT_THAT(known_backend_names(paths), testing::Not(testing::Contains("skeleton")));
}

TEST(Plugin, ThatCannotBeAskedIsNotKnown) {
  const TemporaryFolder folder;
  folder.touch("libdycl_backend_mine.so");
  EXPECT_TRUE(known_backends({{folder.path()}, {}}).empty());
}

TEST(Plugin, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../evil", "", "a/b", "A", "x.so"}) {
    const auto refused = find_plugin(name, {{"/tmp"}, {}});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "backend.unknown");
  }
}

TEST(Plugin, FoldersBesideThisProgramAreKnown) { EXPECT_FALSE(default_plugin_folders().empty()); }

}  // namespace
}  // namespace dycl
