// SPDX-License-Identifier: Apache-2.0
#include "hcfg/known_result.h"

#include <gtest/gtest.h>

#include <limits>

#include "hcfg/fragment.h"

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

template <class T>
TensorData number(DType dtype, T value) {
  return make_tensor_of<T>(dtype, {}, std::span<const T>(&value, 1));
}

Attributes cast_to(DType dtype) { return {{"to", static_cast<std::int64_t>(dtype)}}; }

TEST(KnownResult, RoundsOneNumberToAFloatOnce) {
  EXPECT_EQ(result_of("Cast", {number(DType::F64, 0.1)}, cast_to(DType::F32)), number(DType::F32, 0.1F));
  EXPECT_EQ(result_of("Cast", {integers({}, {16777217})}, cast_to(DType::F32)),
            number(DType::F32, 16777216.0F));
  EXPECT_EQ(result_of("Cast", {integers({}, {3})}, cast_to(DType::F64)), number(DType::F64, 3.0));
  EXPECT_EQ(result_of("Cast", {number(DType::F64, 0.1)}, cast_to(DType::F16)), std::nullopt);
  EXPECT_EQ(result_of("Cast", {number(DType::F64, 0.1)}, cast_to(DType::I64)), std::nullopt);
  EXPECT_EQ(result_of("Cast", {integers({2}, {1, 2})}, cast_to(DType::F32)), std::nullopt);
}

TensorPtr shared(TensorData tensor) { return std::make_shared<const TensorData>(std::move(tensor)); }

TEST(KnownResults, FollowFromEachOther) {
  const ValueId given(0);
  const ValueId open(1);
  const ValueId twice(2);
  const ValueId mixed(3);
  const ValueId is_less(4);
  const std::vector<OnnxOp> ops{{"", "Add", 14, {}, {given, given}, {twice}, {}},
                                {"", "Add", 14, {}, {twice, open}, {mixed}, {}},
                                {"", "Less", 13, {}, {given, twice}, {is_less}, {}}};
  const TensorPtr three = shared(integers({}, {3}));
  const KnownTensors known =
      known_results(ops, [&](ValueId value) { return value == given ? three : nullptr; });
  EXPECT_EQ(known.size(), 2U);
  EXPECT_EQ(*known.at(twice), integers({}, {6}));
  EXPECT_EQ(*known.at(is_less), bools({}, {1}));
}

// Its first output follows from the first operand and a constant, its second from the other operand.
FragmentPtr comparing_fragment() {
  Fragment made;
  made.name = "compare";
  for (const char* name : {"x", "y", "k", "less", "sum"})
    made.values.push_back({TensorType{DType::I64, std::vector<Dim>{}, {}}, name});
  made.inputs = {ValueId(0), ValueId(1)};
  made.constants = {{ValueId(2), shared(integers({}, {5}))}};
  made.ops = {{"", "Less", 13, {}, {ValueId(0), ValueId(2)}, {ValueId(3)}, {}},
              {"", "Add", 14, {}, {ValueId(0), ValueId(1)}, {ValueId(4)}, {}}};
  made.outputs = {ValueId(3), ValueId(4)};
  return std::make_shared<const Fragment>(std::move(made));
}

TEST(KnownResults, OfACallFollowFromTheOperandsThatAreKnown) {
  const FragmentCall call(comparing_fragment(), {ValueId(7), ValueId(8)}, {ValueId(9), ValueId(10)});
  const std::vector<TensorPtr> inputs{shared(integers({}, {4})), nullptr};
  const std::vector<TensorPtr> results = known_results(TensorOp(call), inputs);
  ASSERT_EQ(results.size(), 2U);
  ASSERT_NE(results[0], nullptr);
  EXPECT_EQ(*results[0], bools({}, {1}));
  EXPECT_EQ(results[1], nullptr);
}

TEST(KnownResult, LeavesOtherTypesAndOperatorsAlone) {
  const float half = 0.5F;
  const TensorData one = make_tensor_of<float>(DType::F32, {}, std::span(&half, 1));
  EXPECT_EQ(result_of("Less", {one, one}), std::nullopt);
  EXPECT_EQ(result_of("Div", {integers({}, {1}), integers({}, {0})}), std::nullopt);
}

}  // namespace
}  // namespace dycl
