// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/scalar.h"

namespace dycl {
namespace {

TEST(ScalarTextTest, ReprIsPythons) {
  EXPECT_EQ(repr(true), "True");
  EXPECT_EQ(repr(std::int64_t{-3}), "-3");
  const std::vector<std::pair<double, std::string>> cases{
      {0.0, "0.0"},       {-0.0, "-0.0"},       {1.0, "1.0"},
      {0.1, "0.1"},       {123.456, "123.456"}, {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},    {1.5e16, "1.5e+16"},  {0.0001, "0.0001"},
      {0.00001, "1e-05"}, {1e100, "1e+100"},    {5e-324, "5e-324"},
      {-2.5, "-2.5"},     {120.0, "120.0"},     {1.0 / 3.0, "0.3333333333333333"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(repr(number), text);
  EXPECT_EQ(repr(std::nan("")), "nan");
  EXPECT_EQ(repr(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(ScalarTextTest, FormatsEachPlaceholderInTurn) {
  const std::vector<Scalar> scalars{std::int64_t{3}, 0.5};
  EXPECT_EQ(format_message("bad size {} of {}", scalars).value(), "bad size 3 of 0.5");
  EXPECT_EQ(format_message("{{}} stays, { and } too", {}).value(), "{} stays, { and } too");
  EXPECT_EQ(placeholder_count("{}{{}}{}"), 2U);
}

TEST(ScalarTextTest, AWrongNumberOfScalarsIsAnError) {
  const std::vector<Scalar> one{true};
  EXPECT_EQ(format_message("none", one).error().code, "scalar.format");
  EXPECT_FALSE(format_message("{} {}", one));
}

}  // namespace
}  // namespace dycl
