// SPDX-License-Identifier: Apache-2.0
#include "subnet/guards.h"

#include <gtest/gtest.h>

namespace dycl::subnet {
namespace {

TensorType typed(DType dtype) { return {dtype, std::vector<Dim>{4}, {}}; }

struct GuardExample {
  Hcfg graph;
  ValueId left, right, result;

  explicit GuardExample(DType dtype)
      : left(graph.add_value(typed(dtype), "left")),
        right(graph.add_value(typed(dtype), "right")),
        result(graph.add_value(typed(dtype), "result")) {}

  GuardedOps guarded(const char* name, std::int64_t version, const char* guard) {
    ConstantTable constants;
    constants.update(graph);
    return add_guards(graph, constants, {{"", name, version, {}, {left, right}, {result}, {}}}, {result},
                      {guard});
  }
};

TEST(Guards, AnIntegerDivisionIsGivenAHarmlessDivisorAndRaises) {
  GuardExample example(DType::I64);
  const GuardedOps guarded = example.guarded("Div", 14, kIntegerDivisionByZero);
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "ZeroDivisionError");
  for (const TensorOp& op : guarded.ops) {
    if (op.name != "Div") continue;
    EXPECT_NE(op.inputs[1], example.right);
  }
}

TEST(Guards, AFloatDivisionNeedsNone) {
  GuardExample example(DType::F32);
  EXPECT_TRUE(example.guarded("Div", 14, kIntegerDivisionByZero).guards.empty());
}

TEST(Guards, AConstantDivisorWithoutZeroAndMinusOneNeedsNone) {
  GuardExample example(DType::I32);
  for (const auto& [divisor, guards] : {std::pair{7, 0U}, std::pair{0, 1U}, std::pair{-1, 1U}}) {
    const std::int32_t value = divisor;
    example.right =
        example.graph.add_constant(make_tensor_of<std::int32_t>(DType::I32, {}, std::span(&value, 1)), "k");
    EXPECT_EQ(example.guarded("Div", 14, kIntegerDivisionByZero).guards.size(), guards) << divisor;
  }
}

TEST(Guards, GatherIsCheckedAgainstItsAxis) {
  GuardExample example(DType::F32);
  example.right = example.graph.add_value(typed(DType::I64), "indices");
  const GuardedOps guarded = example.guarded("Gather", 13, kGatherOutOfRange);
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "IndexError");
  EXPECT_EQ(guarded.guards[0].message, "Gather: index out of range");
  EXPECT_TRUE(example.guarded("Gather", 13, kIntegerDivisionByZero).guards.empty());
}

TEST(Guards, ConstantIndicesThatFitNeedNone) {
  GuardExample example(DType::F32);
  for (const auto& [index, guards] : {std::pair{3, 0U}, std::pair{-4, 0U}, std::pair{4, 1U}}) {
    const std::int64_t value = index;
    example.right =
        example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&value, 1)), "k");
    EXPECT_EQ(example.guarded("Gather", 13, kGatherOutOfRange).guards.size(), guards) << index;
  }
}

TEST(Guards, ConstantIndexTuplesThatFitNeedNone) {
  GuardExample example(DType::F32);
  example.left = example.graph.add_value(TensorType{DType::F32, std::vector<Dim>{4, 2}, {}}, "data");
  for (const auto& [last, guards] : {std::pair{1, 0U}, std::pair{-2, 0U}, std::pair{2, 1U}}) {
    const std::int64_t tuples[] = {3, 0, 0, last};
    example.right = example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {2, 2}, tuples), "k");
    EXPECT_EQ(example.guarded("GatherND", 13, kGatherOutOfRange).guards.size(), guards) << last;
  }
}

TEST(Guards, SizesThatAreKnownAreNotComputed) {
  GuardExample example(DType::F32);
  example.right = example.graph.add_value(TensorType{DType::I64, std::vector<Dim>{3, 1}, {}}, "tuples");
  for (const char* name : {"Gather", "GatherElements", "GatherND"})
    for (const TensorOp& op : example.guarded(name, 13, kGatherOutOfRange).ops) EXPECT_NE(op.name, "Shape");
}

TEST(Guards, ALargeIntegerPowerIsChecked) {
  GuardExample example(DType::I64);
  const GuardedOps guarded = example.guarded("Pow", 15, kIntegerPowInexact);
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "OverflowError");
}

TEST(Guards, AnIntegerSumIsCheckedUnlessItsTermsAreSmall) {
  GuardExample example(DType::I64);
  const auto guarded = [&](const char* name, DType from) {
    const ValueId narrow = example.graph.add_value(typed(from), "narrow");
    ConstantTable constants;
    constants.update(example.graph);
    const Attributes to_i64{{"to", static_cast<std::int64_t>(DType::I64)}};
    return add_guards(example.graph, constants,
                      {{"", "Cast", 13, to_i64, {narrow}, {example.left}, {}},
                       {"", name, 13, {}, {example.left}, {example.result}, {}}},
                      {example.result}, {kIntegerReductionInexact})
        .guards.size();
  };
  EXPECT_EQ(guarded("ReduceSum", DType::Bool), 0U);
  EXPECT_EQ(guarded("ReduceSum", DType::I32), 0U);
  EXPECT_EQ(guarded("ReduceSum", DType::U64), 1U);
  EXPECT_EQ(guarded("ReduceProd", DType::I32), 1U);
  EXPECT_EQ(guarded("ReduceMax", DType::U64), 0U);
}

std::vector<std::string> operators_of(const std::vector<TensorOp>& ops) {
  std::vector<std::string> names;
  for (const TensorOp& op : ops) names.push_back(op.name);
  return names;
}

// The names of the operators around a MaxPool whose input `producer` computes.
std::vector<std::string> around_pooling(DType dtype, const char* producer) {
  GuardExample example(dtype);
  ConstantTable constants;
  constants.update(example.graph);
  const GuardedOps guarded = add_guards(example.graph, constants,
                                        {{"", producer, 13, {}, {example.left}, {example.right}, {}},
                                         {"", "MaxPool", 12, {}, {example.right}, {example.result}, {}}},
                                        {example.result}, {kMaxPoolNotFinite});
  EXPECT_EQ(guarded.guards.size(), dtype == DType::F32 ? 1U : 0U);
  return operators_of(guarded.ops);
}

TEST(Guards, PoolingIsCheckedForNanAndHalvedWhereMinusInfinityMayCome) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(around_pooling(DType::F32, "Relu"), (Names{"Relu", "ReduceSum", "IsNaN", "MaxPool"}));
  EXPECT_EQ(around_pooling(DType::F32, "Neg"), (Names{"Neg", "ReduceSum", "IsNaN", "Mul", "MaxPool", "Mul"}));
  EXPECT_EQ(around_pooling(DType::I8, "Neg"), (Names{"Neg", "MaxPool"}));
}

// The names of the operators of x * sigmoid(x), or of sigmoid(x) * y.
std::vector<std::string> around_sigmoid(DType dtype, bool is_silu, bool leaves) {
  GuardExample example(dtype);
  const ValueId y = example.graph.add_value(typed(dtype), "y");
  ConstantTable constants;
  constants.update(example.graph);
  std::vector<ValueId> results{example.result};
  if (leaves) results.push_back(example.right);
  const GuardedOps guarded =
      add_guards(example.graph, constants,
                 {{"", "Sigmoid", 13, {}, {example.left}, {example.right}, {}},
                  {"", "Mul", 14, {}, {is_silu ? example.left : y, example.right}, {example.result}, {}}},
                 results, {kSigmoidUnderflow});
  EXPECT_TRUE(guarded.guards.empty());
  return operators_of(guarded.ops);
}

TEST(Guards, ASigmoidIsWrittenOutAndASiluIsADivision) {
  using Names = std::vector<std::string>;
  const Names written{"Neg", "Exp", "Add", "Reciprocal", "Mul"};
  EXPECT_EQ(around_sigmoid(DType::F32, true, false), (Names{"Neg", "Exp", "Add", "Div"}));
  EXPECT_EQ(around_sigmoid(DType::F32, true, true), written);
  EXPECT_EQ(around_sigmoid(DType::F32, false, false), written);
  EXPECT_EQ(around_sigmoid(DType::F64, false, false),
            (Names{"Neg", "Exp", "Cast", "Add", "Reciprocal", "Mul"}));
  EXPECT_EQ(around_sigmoid(DType::F16, false, false),
            (Names{"Cast", "Neg", "Exp", "Add", "Reciprocal", "Cast", "Mul"}));
}

}  // namespace
}  // namespace dycl::subnet
