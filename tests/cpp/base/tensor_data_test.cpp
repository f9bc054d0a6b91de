// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_data.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace dycl {
namespace {

TEST(TensorDataTest, StringsComeBackAsTheyWereStored) {
  const std::vector<std::string> strings{"", "a", std::string("b\0c", 3)};
  EXPECT_EQ(strings_of(make_string_tensor({3}, strings)).value(), strings);
}

TEST(TensorDataTest, OffsetsThatLeaveTheBufferAreRefused) {
  const std::array<std::int64_t, 2> beyond{0, 5};
  EXPECT_FALSE(strings_of(make_tensor_of<std::int64_t>(DType::String, {1}, beyond)));
  const std::array<std::int64_t, 3> backwards{0, 2, 1};
  EXPECT_FALSE(strings_of(make_tensor_of<std::int64_t>(DType::String, {2}, backwards)));
}

TEST(TensorDataTest, ElementCountRefusesNegativeAndHugeSizes) {
  EXPECT_EQ(element_count(std::array<std::int64_t, 2>{3, 0}), 0);
  EXPECT_EQ(element_count(std::array<std::int64_t, 1>{-1}), std::nullopt);
  EXPECT_EQ(element_count(std::array<std::int64_t, 2>{std::numeric_limits<std::int64_t>::max(), 2}),
            std::nullopt);
}

}  // namespace
}  // namespace dycl
