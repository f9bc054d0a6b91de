// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "legalize/rule_list.h"
#include "legalize/writer.h"

namespace dycl::legalize {
namespace {

TensorType typed(DType dtype) { return {dtype, std::vector<Dim>{4}, {}}; }

LegalOps legal(Hcfg& graph, const std::vector<OnnxOp>& ops, const std::vector<ValueId>& results,
               const std::set<std::string, std::less<>>& hazards) {
  ConstantTable constants;
  constants.update(graph);
  const SubnetFacts facts(ops, results);
  return Writer(graph, constants, facts, rules_for(hazards, Judge::Eager), hazards).run(ops);
}

struct OneOperator {
  Hcfg graph;
  ValueId left, right, result;

  explicit OneOperator(DType dtype)
      : left(graph.add_value(typed(dtype), "left")),
        right(graph.add_value(typed(dtype), "right")),
        result(graph.add_value(typed(dtype), "result")) {}

  LegalOps guarded(const char* name, std::int64_t version, const char* hazard) {
    return legal(graph, {{"", name, version, {}, {left, right}, {result}, {}}}, {result}, {hazard});
  }
};

TEST(Rules, AnIntegerDivisionIsGivenAHarmlessDivisorAndRaises) {
  OneOperator example(DType::I64);
  const LegalOps guarded = example.guarded("Div", 14, "integer_division_by_zero");
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "ZeroDivisionError");
  for (const OnnxOp& op : guarded.ops) {
    if (op.name != "Div") continue;
    EXPECT_NE(op.inputs[1], example.right);
  }
}

TEST(Rules, AFloatDivisionNeedsNone) {
  OneOperator example(DType::F32);
  EXPECT_TRUE(example.guarded("Div", 14, "integer_division_by_zero").guards.empty());
}

TEST(Rules, AConstantDivisorWithoutZeroAndMinusOneNeedsNone) {
  OneOperator example(DType::I32);
  for (const auto& [divisor, guards] : {std::pair{7, 0U}, std::pair{0, 1U}, std::pair{-1, 1U}}) {
    const std::int32_t value = divisor;
    example.right =
        example.graph.add_constant(make_tensor_of<std::int32_t>(DType::I32, {}, std::span(&value, 1)), "k");
    EXPECT_EQ(example.guarded("Div", 14, "integer_division_by_zero").guards.size(), guards) << divisor;
  }
}

TEST(Rules, GatherIsCheckedAgainstItsAxis) {
  OneOperator example(DType::F32);
  example.right = example.graph.add_value(typed(DType::I64), "indices");
  const LegalOps guarded = example.guarded("Gather", 13, "gather_out_of_range");
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "IndexError");
  EXPECT_EQ(guarded.guards[0].message, "Gather: index out of range");
  EXPECT_TRUE(example.guarded("Gather", 13, "integer_division_by_zero").guards.empty());
}

TEST(Rules, ConstantIndicesThatFitNeedNone) {
  OneOperator example(DType::F32);
  for (const auto& [index, guards] : {std::pair{3, 0U}, std::pair{-4, 0U}, std::pair{4, 1U}}) {
    const std::int64_t value = index;
    example.right =
        example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&value, 1)), "k");
    EXPECT_EQ(example.guarded("Gather", 13, "gather_out_of_range").guards.size(), guards) << index;
  }
}

TEST(Rules, ConstantIndexTuplesThatFitNeedNone) {
  OneOperator example(DType::F32);
  example.left = example.graph.add_value(TensorType{DType::F32, std::vector<Dim>{4, 2}, {}}, "data");
  for (const auto& [last, guards] : {std::pair{1, 0U}, std::pair{-2, 0U}, std::pair{2, 1U}}) {
    const std::int64_t tuples[] = {3, 0, 0, last};
    example.right = example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {2, 2}, tuples), "k");
    EXPECT_EQ(example.guarded("GatherND", 13, "gather_out_of_range").guards.size(), guards) << last;
  }
}

TEST(Rules, SizesThatAreKnownAreNotComputed) {
  OneOperator example(DType::F32);
  example.right = example.graph.add_value(TensorType{DType::I64, std::vector<Dim>{3, 1}, {}}, "tuples");
  for (const char* name : {"Gather", "GatherElements", "GatherND"})
    for (const OnnxOp& op : example.guarded(name, 13, "gather_out_of_range").ops) EXPECT_NE(op.name, "Shape");
}

TEST(Rules, ALargeIntegerPowerIsChecked) {
  OneOperator example(DType::I64);
  const LegalOps guarded = example.guarded("Pow", 15, "integer_pow_inexact");
  ASSERT_EQ(guarded.guards.size(), 1U);
  EXPECT_EQ(guarded.guards[0].type, "");
}

TEST(Rules, AnIntegerSumIsCheckedUnlessItsTermsAreSmall) {
  OneOperator example(DType::I64);
  const auto guarded = [&](const char* name, DType from) {
    const ValueId narrow = example.graph.add_value(typed(from), "narrow");
    const Attributes to_i64{{"to", static_cast<std::int64_t>(DType::I64)}};
    return legal(example.graph,
                 {{"", "Cast", 13, to_i64, {narrow}, {example.left}, {}},
                  {"", name, 13, {}, {example.left}, {example.result}, {}}},
                 {example.result}, {"integer_reduction_inexact"})
        .guards.size();
  };
  EXPECT_EQ(guarded("ReduceSum", DType::Bool), 0U);
  EXPECT_EQ(guarded("ReduceSum", DType::I32), 0U);
  EXPECT_EQ(guarded("ReduceSum", DType::U64), 1U);
  EXPECT_EQ(guarded("ReduceProd", DType::I32), 1U);
  EXPECT_EQ(guarded("ReduceMax", DType::U64), 0U);
}

std::vector<std::string> operators_of(const std::vector<OnnxOp>& ops) {
  std::vector<std::string> names;
  for (const OnnxOp& op : ops) names.push_back(op.name);
  return names;
}

// The names of the operators around a MaxPool whose input `producer` computes.
std::vector<std::string> around_pooling(DType dtype, const char* producer) {
  OneOperator example(dtype);
  const LegalOps guarded = legal(example.graph,
                                 {{"", producer, 13, {}, {example.left}, {example.right}, {}},
                                  {"", "MaxPool", 12, {}, {example.right}, {example.result}, {}}},
                                 {example.result}, {"max_pool_nan", "max_pool_lowest_finite"});
  EXPECT_EQ(guarded.guards.size(), dtype == DType::F32 ? 1U : 0U);
  return operators_of(guarded.ops);
}

TEST(Rules, PoolingIsCheckedForNanAndHalvedWhereMinusInfinityMayCome) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(around_pooling(DType::F32, "Relu"), (Names{"Relu", "ReduceSum", "IsNaN", "MaxPool"}));
  EXPECT_EQ(around_pooling(DType::F32, "Neg"), (Names{"Neg", "ReduceSum", "IsNaN", "Mul", "MaxPool", "Mul"}));
  EXPECT_EQ(around_pooling(DType::I8, "Neg"), (Names{"Neg", "MaxPool"}));
}

// The names of the operators of x * sigmoid(x), or of sigmoid(x) * y.
std::vector<std::string> around_sigmoid(DType dtype, bool is_silu, bool leaves) {
  OneOperator example(dtype);
  const ValueId y = example.graph.add_value(typed(dtype), "y");
  std::vector<ValueId> results{example.result};
  if (leaves) results.push_back(example.right);
  const LegalOps guarded =
      legal(example.graph,
            {{"", "Sigmoid", 13, {}, {example.left}, {example.right}, {}},
             {"", "Mul", 14, {}, {is_silu ? example.left : y, example.right}, {example.result}, {}}},
            results, {"sigmoid_underflow"});
  EXPECT_TRUE(guarded.guards.empty());
  return operators_of(guarded.ops);
}

TEST(Rules, ASigmoidIsWrittenOutAndASiluIsADivision) {
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
}  // namespace dycl::legalize
