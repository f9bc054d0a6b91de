// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <gtest/gtest.h>

namespace dycl::cli {
namespace {

TEST(Suggestion, IsTheNearestWordIfOneIsNear) {
  const std::vector<std::string> commands{"compile", "run", "inspect", "export", "emit"};
  EXPECT_EQ(nearest_word("compil", commands), "compile");
  EXPECT_EQ(nearest_word("rnu", commands), "run");
  EXPECT_EQ(nearest_word("emti", commands), "emit");
  EXPECT_EQ(nearest_word("insptec", commands), "inspect");
  EXPECT_EQ(nearest_word("frobnicate", commands), "");
  EXPECT_EQ(nearest_word("x", commands), "");
  EXPECT_EQ(nearest_word("--inptu", {"--input", "--inputs", "--output"}), "--input");
}

}  // namespace
}  // namespace dycl::cli
