// SPDX-License-Identifier: Apache-2.0
#include "cli/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/npy.h"

namespace dycl::cli {
namespace {

using ::testing::HasSubstr;

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("dycl_npz_" + name);
}

TensorData counting(std::int64_t count) {
  std::vector<std::int32_t> values;
  for (std::int32_t index = 0; index < count; ++index) values.push_back(index);
  return make_tensor_of<std::int32_t>(DType::I32, {count}, values);
}

TEST(Npz, ReadsBackWhatItWrote) {
  const auto path = scratch("round_trip.npz");
  const NamedTensors tensors{{"first", counting(3)}, {"a/b:0", counting(0)}};
  ASSERT_TRUE(write_npz_file(path, tensors));
  const auto again = read_npz_file(path);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->size(), 2u);
  EXPECT_EQ((*again)[0].first, "first");
  EXPECT_EQ((*again)[1].first, "a/b:0");
  EXPECT_EQ((*again)[0].second, tensors[0].second);
}

TEST(Npz, WritesTheSameBytesTwice) {
  const auto one = scratch("one.npz");
  const auto two = scratch("two.npz");
  ASSERT_TRUE(write_npz_file(one, {{"x", counting(5)}}));
  ASSERT_TRUE(write_npz_file(two, {{"x", counting(5)}}));
  EXPECT_EQ(read_file(one).value(), read_file(two).value());
}

TEST(Npz, RefusesTwoOutputsOfOneName) {
  EXPECT_FALSE(write_npz_file(scratch("twice.npz"), {{"x", counting(1)}, {"x", counting(2)}}));
}

TEST(Npz, LeavesALinkALink) {
  const auto real = scratch("real.npz");
  const auto link = scratch("link.npz");
  std::filesystem::remove(real);
  std::filesystem::remove(link);
  std::filesystem::create_symlink(real, link);
  ASSERT_TRUE(write_npz_file(link, {{"x", counting(5)}}));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(read_npz_file(real));
}

TEST(Npz, AsksForAllNamesBeforeAnyArray) {
  const auto path = scratch("asked.npz");
  ASSERT_TRUE(write_npz_file(path, {{"x", counting(5)}, {"y", counting(6)}}));
  std::string asked;
  NpzChecks checks;
  checks.name = [&](const std::string& name) {
    asked += name + " ";
    return Status();
  };
  checks.array = [&](const std::string& name, DType dtype, std::span<const std::int64_t> dims) -> Status {
    asked += name + "[" + std::to_string(dims[0]) + "] ";
    EXPECT_EQ(dtype, DType::I32);
    if (name == "y") return fail(Blame::Usage, "run.input_dim", "too long");
    return {};
  };
  const auto refused = read_npz_file(path, checks);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "run.input_dim");
  EXPECT_EQ(asked, "x y x[5] y[6] ");
}

TEST(Npz, StopsAtTheByteLimit) {
  const auto path = scratch("large.npz");
  ASSERT_TRUE(write_npz_file(path, {{"x", counting(100000)}}));
  const auto refused = read_npz_file(path, {}, 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "npz.too_large");
  EXPECT_THAT(refused.error().message, HasSubstr("limit"));
}

TEST(Npz, RefusesWhatIsNotAZip) {
  const auto path = scratch("text.npz");
  std::ofstream(path) << "hello";
  const auto refused = read_npz_file(path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().blame, Blame::Usage);
  EXPECT_FALSE(read_npz_file(scratch("missing.npz")));
}

}  // namespace
}  // namespace dycl::cli
