// SPDX-License-Identifier: Apache-2.0
#include "verification/tensor_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dycl::verification {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TensorData f32(std::vector<float> values) {
  return make_tensor_of<float>(DType::F32, {static_cast<std::int64_t>(values.size())}, values);
}
TensorData i64(std::vector<std::int64_t> values) {
  return make_tensor_of<std::int64_t>(DType::I64, {static_cast<std::int64_t>(values.size())}, values);
}

TEST(TensorDifference, IsRelativeToTheLargestElementThatIsExpected) {
  EXPECT_EQ(tensor_difference(f32({1, 2}), f32({1, 2})), 0);
  EXPECT_DOUBLE_EQ(tensor_difference(f32({0.5F, 0}), f32({0.25F, 0})), 0.25);
  EXPECT_DOUBLE_EQ(tensor_difference(f32({8, 101}), f32({8, 100})), 0.01);
}

TEST(TensorDifference, WantsNanAndInfinityInTheSamePlaces) {
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_DOUBLE_EQ(tensor_difference(f32({kNan, infinite, 1.5F}), f32({kNan, infinite, 1})), 0.5);
  EXPECT_EQ(tensor_difference(f32({1}), f32({kNan})), kInfinity);
  EXPECT_EQ(tensor_difference(f32({infinite}), f32({-infinite})), kInfinity);
}

TEST(TensorDifference, IsAllOrNothingForWholeNumbersTypesAndSizes) {
  EXPECT_EQ(tensor_difference(i64({1, 2}), i64({1, 2})), 0);
  EXPECT_EQ(tensor_difference(i64({1, 3}), i64({1, 2})), kInfinity);
  EXPECT_EQ(tensor_difference(i64({1}), f32({1})), kInfinity);
  EXPECT_EQ(tensor_difference(f32({1}), f32({1, 1})), kInfinity);
}

}  // namespace
}  // namespace dycl::verification
