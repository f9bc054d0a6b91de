// SPDX-License-Identifier: Apache-2.0
#include "base/dim_range.h"

#include <gtest/gtest.h>

namespace dycl {
namespace {

TEST(DimRangeTest, ASizeIsARangeOfOne) {
  EXPECT_EQ(parse_dim_range("8").value(), (DimRange{8, 8}));
  EXPECT_EQ(parse_dim_range("0").value(), (DimRange{0, 0}));
  EXPECT_TRUE(parse_dim_range("8")->one_size());
}

TEST(DimRangeTest, BothEndsBelongToARange) {
  const DimRange range = parse_dim_range("1..8").value();
  EXPECT_TRUE(range.contains(1));
  EXPECT_TRUE(range.contains(8));
  EXPECT_FALSE(range.contains(0));
  EXPECT_FALSE(range.contains(9));
  EXPECT_EQ(to_string(range), "1..8");
}

TEST(DimRangeTest, OtherTextsAreRefused) {
  for (const std::string_view text : {"", "x", "8..1", "1..", "..8", "1...8", "-1", "-1..3", "1..2..3", "1.5",
                                      " 1", "1..99999999999999999999"}) {
    const auto range = parse_dim_range(text);
    ASSERT_FALSE(range) << text;
    EXPECT_EQ(range.error().code, "argument.dim");
    EXPECT_EQ(range.error().blame, Blame::Usage);
  }
}

}  // namespace
}  // namespace dycl
