// SPDX-License-Identifier: Apache-2.0
#include "legalize/fold_numbers.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dycl::legalize {
namespace {

template <class T>
TensorData one(DType dtype, std::vector<std::int64_t> dims, T value) {
  return make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(&value, 1));
}

struct Example {
  Hcfg graph;
  ValueId x = graph.add_value(TensorType{DType::F32, std::vector<Dim>{Dim(3)}, {}}, "x");
  ValueId number, cast, y;
  std::vector<OnnxOp> ops;

  explicit Example(TensorData constant, DType to) {
    number = graph.add_constant(std::move(constant), "k");
    cast = graph.add_value(TensorType{to, std::vector<Dim>{}, {}}, "cast");
    y = graph.add_value(TensorType{DType::Bool, std::vector<Dim>{Dim(3)}, {}}, "y");
    ops = {{"", "Cast", 13, {{"to", static_cast<std::int64_t>(to)}}, {number}, {cast}, {}},
           {"", "Greater", 13, {}, {x, cast}, {y}, {}}};
  }

  std::vector<OnnxOp> folded(std::vector<ValueId> outputs) {
    ConstantTable constants;
    constants.update(graph);
    return NumberFolder().fold(graph, constants, ops, outputs);
  }
};

TEST(FoldNumbers, ANumberIsRoundedAsTheCastWould) {
  Example example(one(DType::F64, {}, 0.1), DType::F32);
  const std::vector<OnnxOp> ops = example.folded({example.y});
  ASSERT_EQ(ops.size(), 1U);
  ASSERT_EQ(ops[0].inputs[1], example.graph.constants.back().value);
  const TensorData& made = *example.graph.constants.back().data;
  EXPECT_EQ(made.dtype, DType::F32);
  float value = 0;
  std::memcpy(&value, made.bytes.data(), sizeof value);
  EXPECT_EQ(value, 0.1F);
}

TEST(FoldNumbers, AnIntBecomesAFloat) {
  Example example(one<std::int64_t>(DType::I64, {1}, 16777217), DType::F32);
  ASSERT_EQ(example.folded({example.y}).size(), 1U);
  float value = 0;
  std::memcpy(&value, example.graph.constants.back().data->bytes.data(), sizeof value);
  EXPECT_EQ(value, 16777216.0F);
}

TEST(FoldNumbers, WhatIsWantedOutsideStays) {
  Example example(one(DType::F64, {}, 0.1), DType::F32);
  EXPECT_EQ(example.folded({example.y, example.cast}).size(), 2U);
}

TEST(FoldNumbers, OtherTypesStay) {
  Example narrowed(one(DType::F64, {}, 0.1), DType::F16);
  EXPECT_EQ(narrowed.folded({narrowed.y}).size(), 2U);
  Example truncated(one(DType::F64, {}, 0.1), DType::I32);
  EXPECT_EQ(truncated.folded({truncated.y}).size(), 2U);
}

// What the rules for x[k] make of an index: compared with the size, replaced by 0 where it is out of range.
struct Indexed {
  Hcfg graph;
  ValueId x = graph.add_value(TensorType{DType::F32, std::vector<Dim>{Dim(1), Dim(54)}, {}}, "x");
  ValueId row, below, beyond, bad, index, y;
  std::vector<OnnxOp> ops;

  explicit Indexed(std::int64_t number) {
    const ValueId k = integer({}, number);
    const ValueId one_element = integer({1}, 1);
    const ValueId zero = integer({1}, 0);
    row = value(DType::I64, "row");
    below = value(DType::Bool, "below");
    beyond = value(DType::Bool, "beyond");
    bad = value(DType::Bool, "bad");
    index = value(DType::I64, "index");
    y = graph.add_value(TensorType{DType::F32, std::vector<Dim>{Dim(1), Dim(1)}, {}}, "y");
    ops = {{"", "Reshape", 14, {}, {k, one_element}, {row}, {}},
           {"", "Less", 13, {}, {row, integer({}, 0)}, {below}, {}},
           {"", "GreaterOrEqual", 16, {}, {row, integer({}, 54)}, {beyond}, {}},
           {"", "Or", 7, {}, {below, beyond}, {bad}, {}},
           {"", "Where", 16, {}, {bad, zero, row}, {index}, {}},
           {"", "Gather", 13, {{"axis", std::int64_t{1}}}, {x, index}, {y}, {}}};
  }

  ValueId integer(std::vector<std::int64_t> dims, std::int64_t number) {
    return graph.add_constant(one(DType::I64, std::move(dims), number), "k");
  }

  ValueId value(DType dtype, const char* name) {
    return graph.add_value(TensorType{dtype, std::vector<Dim>{Dim(1)}, {}}, name);
  }

  std::vector<OnnxOp> folded(std::vector<ValueId> outputs) {
    ConstantTable constants;
    constants.update(graph);
    return NumberFolder().fold(graph, constants, ops, outputs);
  }

  TensorData constant(ValueId wanted) {
    for (const Constant& constant : graph.constants)
      if (constant.value == wanted) return *constant.data;
    return {};
  }
};

TEST(FoldNumbers, AnIndexIsComparedWithItsSizeHere) {
  for (const auto& [number, chosen] : {std::pair(34, 34), {53, 53}, {54, 0}, {-1, 0}}) {
    Indexed example(number);
    const std::vector<OnnxOp> ops = example.folded({example.y});
    ASSERT_EQ(ops.size(), 1U);
    EXPECT_EQ(example.constant(ops[0].inputs[1]), one<std::int64_t>(DType::I64, {1}, chosen)) << number;
  }
}

TEST(FoldNumbers, AComparisonThatIsWantedOutsideStays) {
  Indexed example(34);
  const std::vector<OnnxOp> ops = example.folded({example.y, example.bad});
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].name, "Or");
  EXPECT_EQ(ops[1].name, "Gather") << "what is chosen by the comparison is known nevertheless";
}

// Both are the largest of the same numbers, of different rank.
TEST(FoldNumbers, OperatorsThatDifferInAttributesAloneAreToldApart) {
  Indexed example(34);
  const ValueId numbers = example.integer({1}, 7);
  const ValueId kept = example.value(DType::I64, "kept");
  const ValueId dropped = example.value(DType::I64, "dropped");
  example.ops = {{"", "ReduceMax", 13, {}, {numbers}, {kept}, {}},
                 {"", "ReduceMax", 13, {{"keepdims", std::int64_t{0}}}, {numbers}, {dropped}, {}},
                 {"", "Gather", 13, {}, {example.x, kept}, {example.y}, {}},
                 {"", "Gather", 13, {}, {example.x, dropped}, {example.row}, {}}};
  const std::vector<OnnxOp> ops = example.folded({example.y, example.row});
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(example.constant(ops[0].inputs[1]), one<std::int64_t>(DType::I64, {1}, 7));
  EXPECT_EQ(example.constant(ops[1].inputs[1]), one<std::int64_t>(DType::I64, {}, 7));
}

TEST(FoldNumbers, SeveralIndicesAreComparedOneByOne) {
  Indexed example(34);
  const std::int64_t two[] = {3, 60};
  const std::int64_t chosen[] = {3, 0};
  const std::int64_t row = -1;
  example.ops[0].inputs = {
      example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {2}, two), "k"),
      example.graph.add_constant(make_tensor_of<std::int64_t>(DType::I64, {1}, std::span(&row, 1)), "k")};
  const std::vector<OnnxOp> ops = example.folded({example.y});
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_EQ(example.constant(ops[0].inputs[1]), make_tensor_of<std::int64_t>(DType::I64, {2}, chosen));
}

}  // namespace
}  // namespace dycl::legalize
