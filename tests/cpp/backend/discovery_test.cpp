// SPDX-License-Identifier: Apache-2.0
#include "backend/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace dycl {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

TEST(VendorLibrary, IsFoundFlatlyInAFolder) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libonnxruntime.so.1.31.1");
  EXPECT_EQ(find_vendor_library("onnxruntime", {{}, {folder.path()}}).value(), file);
}

TEST(VendorLibrary, IsFoundInTheLayoutOfItsWheel) {
  const TemporaryFolder folder;
  const auto ort = folder.touch("onnxruntime/capi/libonnxruntime.so.1.31.1");
  const auto ov = folder.touch("openvino/libs/libopenvino_c.so.2641");
  const auto tvm = folder.touch("tvm/lib/libtvm_runtime.so");
  EXPECT_EQ(find_vendor_library("onnxruntime", {{}, {folder.path()}}).value(), ort);
  EXPECT_EQ(find_vendor_library("openvino", {{}, {folder.path()}}).value(), ov);
  EXPECT_EQ(find_vendor_library("tvm", {{}, {folder.path()}}).value(), tvm);
}

TEST(VendorLibrary, OfTvmComesWithAnExtraOfOurs) {
  const auto missing = find_vendor_library("tvm", {});
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
  EXPECT_EQ(find_vendor_library("onnxruntime", {{}, {folder.path()}}).value(), newest);
}

TEST(VendorLibrary, MayBeNamedItself) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libonnxruntime.so.1.31.1");
  EXPECT_EQ(find_vendor_library("onnxruntime", {{}, {file}}).value(), file);
}

TEST(VendorLibrary, ThatIsMissingIsAnErrorWithTheInstallCommand) {
  const TemporaryFolder folder;
  const auto missing = find_vendor_library("onnxruntime", {{}, {folder.path()}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().blame, Blame::Backend);
  EXPECT_EQ(missing.error().code, "backend.not_installed");
  EXPECT_THAT(missing.error().hint, HasSubstr("pip install onnxruntime"));
  EXPECT_THAT(missing.error().notes, testing::ElementsAre(HasSubstr(folder.path().string())));
}

TEST(VendorLibrary, IsNotSearchedForUnknownBackends) {
  EXPECT_EQ(find_vendor_library("skeleton", {}).value(), std::filesystem::path());
}

TEST(Plugin, IsFoundByName) {
  const TemporaryFolder folder;
  const auto file = folder.touch("libdycl_backend_mine.so");
  EXPECT_EQ(find_plugin("mine", {{folder.path()}, {}}).value(), file);
}

TEST(Plugin, ThatIsMissingNamesThePlacesAndTheKnownOnes) {
  const auto missing = find_plugin("nosuch", {{"/nowhere"}, {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "backend.not_installed");
  EXPECT_THAT(missing.error().hint, HasSubstr("onnxruntime, openvino"));
  EXPECT_THAT(missing.error().notes, testing::ElementsAre(HasSubstr("/nowhere")));
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
