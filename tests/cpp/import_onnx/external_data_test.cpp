// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "import_onnx/from_onnx.h"
#include "support/onnx_builder.h"

namespace dycl::test {
namespace {

class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "model" / "deep");
    const float values[] = {1, 2, 3};
    for (const char* place : {"model/weights.bin", "model/deep/weights.bin", "outside.bin"})
      std::ofstream(folder_ / place, std::ios::binary)
          .write(reinterpret_cast<const char*>(values), sizeof values);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static onnx::TensorProto external(const std::string& location, const std::string& offset = "4",
                                    const std::string& length = "8") {
    onnx::TensorProto proto;
    proto.set_name("w");
    proto.set_data_type(1);
    proto.add_dims(2);
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    const std::pair<std::string, std::string> entries[] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    for (const auto& [key, value] : entries) {
      auto* entry = proto.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    return proto;
  }

  Result<TensorData> read(const onnx::TensorProto& proto) const {
    import_onnx::ExternalFiles files(folder_ / "model");
    return import_onnx::from_onnx(proto, &files);
  }

  std::string refusal(const onnx::TensorProto& proto) const {
    const auto tensor = read(proto);
    EXPECT_FALSE(tensor);
    return tensor ? "" : tensor.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(ExternalData, IsReadFromTheModelsFolderAndBelow) {
  for (const char* place : {"weights.bin", "deep/weights.bin"}) {
    const auto tensor = read(external(place));
    ASSERT_TRUE(tensor) << to_string(tensor.error());
    EXPECT_EQ(*tensor, f32({2}, {2, 3}));
  }
}

TEST_F(ExternalData, OutsideTheFolderIsRefused) {
  EXPECT_THAT(refusal(external("../outside.bin")), ::testing::HasSubstr("leaves the model's folder"));
  EXPECT_THAT(refusal(external((folder_ / "outside.bin").string())),
              ::testing::HasSubstr("leaves the model's folder"));
}

TEST_F(ExternalData, ThroughALinkIsRefused) {
  std::filesystem::create_symlink(folder_ / "outside.bin", folder_ / "model" / "link.bin");
  std::filesystem::create_directory_symlink(folder_, folder_ / "model" / "up");
  EXPECT_THAT(refusal(external("link.bin")), ::testing::HasSubstr("or it is a link"));
  EXPECT_THAT(refusal(external("up/outside.bin")), ::testing::HasSubstr("or it is a link"));
}

TEST_F(ExternalData, BeyondTheFileIsRefused) {
  EXPECT_THAT(refusal(external("weights.bin", "8", "8")), ::testing::HasSubstr("is too short or not a file"));
  EXPECT_THAT(refusal(external("weights.bin", "18446744073709551615", "8")),
              ::testing::HasSubstr("is too short or not a file"));
  EXPECT_THAT(refusal(external("weights.bin", "x")), ::testing::HasSubstr("is not a number"));
}

TEST_F(ExternalData, OfAModelGivenAsBytesIsRefused) {
  const auto tensor = import_onnx::from_onnx(external("weights.bin"), {});
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().message, ::testing::HasSubstr("has no folder"));
}

TEST_F(ExternalData, StaysAsItWasReadWhenItsFileIsWrittenOver) {
  const auto path = folder_ / "model/weights.bin";
  const auto tensor = read(external("weights.bin"));
  ASSERT_TRUE(tensor);
  std::ofstream(path, std::ios::binary | std::ios::in).write("other bytes!", 12);
  EXPECT_EQ(*tensor, f32({2}, {2, 3}));
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(*tensor, f32({2}, {2, 3}));
}

TEST_F(ExternalData, IsReadOnceForAllTensorsThatNameTheSamePart) {
  import_onnx::ExternalFiles files(folder_ / "model");
  const auto one = import_onnx::from_onnx(external("weights.bin"), &files);
  const auto other = import_onnx::from_onnx(external("./weights.bin"), &files);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->bytes.data(), other->bytes.data());
}

TEST_F(ExternalData, OfTwoVersionsIsRefused) {
  import_onnx::ExternalFiles files(folder_ / "model");
  ASSERT_TRUE(import_onnx::from_onnx(external("weights.bin", "0"), &files));
  const auto path = folder_ / "model/weights.bin";
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  const auto refused = import_onnx::from_onnx(external("weights.bin", "4"), &files);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "onnx.external_data");
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("changed while it was read"));
}

TEST_F(ExternalData, ThatManyTensorsNameInManyWaysIsRefused) {
  std::filesystem::resize_file(folder_ / "model/weights.bin", 1000);
  import_onnx::ExternalFiles files(folder_ / "model");
  Status refused;
  int read = 0;
  for (; refused && read < 100; ++read) {
    onnx::TensorProto proto = external("weights.bin", std::to_string(read), "800");
    proto.set_dims(0, 200);
    if (auto tensor = import_onnx::from_onnx(proto, &files); !tensor) refused = failure_of(std::move(tensor));
  }
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "onnx.external_data");
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("more than 4 times the bytes of 'weights.bin'"));
  EXPECT_GT(read, 4);
}

TEST_F(ExternalData, ThatIsAFolderIsRefused) { EXPECT_FALSE(read(external("deep"))); }

}  // namespace
}  // namespace dycl::test
