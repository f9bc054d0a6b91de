// SPDX-License-Identifier: Apache-2.0
#include "hcfg/known_result.h"

#include <gtest/gtest.h>

#include <limits>

namespace dycl {
namespace {

using Numbers = std::vector<std::int64_t>;

TensorData integers(std::vector<std::int64_t> dims, const Numbers& values) {
  return make_tensor_of<std::int64_t>(DType::I64, std::move(dims), values);
}

TensorData bools(std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& values) {
  return make_tensor_of<std::uint8_t>(DType::Bool, std::move(dims), values);
}

std::optional<TensorData> result_of(const char* name, std::vector<TensorData> operands,
                                    Attributes attributes = {}) {
  std::vector<const TensorData*> pointers;
  for (const TensorData& operand : operands) pointers.push_back(&operand);
  return known_result({"", name, 13, std::move(attributes), {}, {}, {}}, pointers);
}

TEST(KnownResult, ComparesNumberByNumber) {
  EXPECT_EQ(result_of("Less", {integers({3}, {-1, 0, 1}), integers({}, {0})}), bools({3}, {1, 0, 0}));
  EXPECT_EQ(result_of("GreaterOrEqual", {integers({2, 1}, {1, 2}), integers({2}, {1, 2})}),
            bools({2, 2}, {1, 0, 1, 1}));
  EXPECT_EQ(result_of("Equal", {integers({0}, {}), integers({1}, {4})}), bools({0}, {}));
}

TEST(KnownResult, RefusesSizesThatDoNotBroadcast) {
  EXPECT_EQ(result_of("Less", {integers({3}, {1, 2, 3}), integers({2}, {1, 2})}), std::nullopt);
}

TEST(KnownResult, WrapsAround) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(result_of("Add", {integers({}, {largest}), integers({}, {1})}),
            integers({}, {std::numeric_limits<std::int64_t>::min()}));
}

TEST(KnownResult, ChoosesAndTakesTheLargest) {
  const TensorData chosen =
      *result_of("Where", {bools({2}, {1, 0}), integers({1}, {7}), integers({2}, {1, 2})});
  EXPECT_EQ(chosen, integers({2}, {7, 2}));
  EXPECT_EQ(result_of("ReduceMax", {chosen}, {{"keepdims", std::int64_t{0}}}), integers({}, {7}));
  EXPECT_EQ(result_of("ReduceMax", {integers({0}, {})}), std::nullopt);
  EXPECT_EQ(result_of("ReduceMax", {chosen}, {{"axes", Numbers{0}}}), std::nullopt);
}

TEST(KnownResult, ReshapesAsOnnxDoes) {
  const TensorData six = integers({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(result_of("Reshape", {six, integers({2}, {-1, 2})})->dims, (Numbers{3, 2}));
  EXPECT_EQ(result_of("Reshape", {six, integers({2}, {0, -1})})->dims, (Numbers{2, 3}));
  EXPECT_EQ(result_of("Reshape", {six, integers({1}, {4})}), std::nullopt);
}

TEST(KnownResult, LeavesOtherTypesAndOperatorsAlone) {
  const float half = 0.5F;
  const TensorData one = make_tensor_of<float>(DType::F32, {}, std::span(&half, 1));
  EXPECT_EQ(result_of("Less", {one, one}), std::nullopt);
  EXPECT_EQ(result_of("Div", {integers({}, {1}), integers({}, {0})}), std::nullopt);
}

}  // namespace
}  // namespace dycl
