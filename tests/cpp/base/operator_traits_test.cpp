// SPDX-License-Identifier: Apache-2.0
#include "base/operator_traits.h"

#include <gtest/gtest.h>

namespace dycl {
namespace {

TEST(OperatorTraits, AreReadByName) {
  EXPECT_TRUE(has_trait("Loop", Trait::ControlFlow));
  EXPECT_TRUE(has_trait("Dropout", Trait::Random));
  EXPECT_TRUE(has_trait("Expand", Trait::Grows));
  EXPECT_TRUE(has_trait("Expand", Trait::Moves));
  EXPECT_FALSE(has_trait("Expand", Trait::Random));
}

TEST(OperatorTraits, AnOperatorThatIsNotListedHasNone) {
  EXPECT_FALSE(has_trait("Conv", Trait::Moves));
  EXPECT_FALSE(has_trait("", Trait::ControlFlow));
  EXPECT_FALSE(has_trait("Zzz", Trait::ControlFlow));
  EXPECT_EQ(fewest_operands("Conv"), 1U);
}

TEST(OperatorTraits, SayHowManyOperandsAreNeeded) {
  EXPECT_EQ(fewest_operands("Constant"), 0U);
  EXPECT_EQ(fewest_operands("Gather"), 2U);
  EXPECT_EQ(fewest_operands("Where"), 3U);
}

}  // namespace
}  // namespace dycl
