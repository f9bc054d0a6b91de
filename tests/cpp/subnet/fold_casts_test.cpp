// SPDX-License-Identifier: Apache-2.0
#include "subnet/fold_casts.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dycl {
namespace {

template <class T>
TensorData one(DType dtype, std::vector<std::int64_t> dims, T value) {
  return make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(&value, 1));
}

struct Example {
  Hcfg graph;
  ValueId x = graph.add_value(TensorType{DType::F32, std::vector<Dim>{Dim(3)}, {}, {}}, "x");
  ValueId number, cast, y;
  std::vector<TensorOp> ops;

  explicit Example(TensorData constant, DType to) {
    number = graph.add_constant(std::move(constant), "k");
    cast = graph.add_value(TensorType{to, std::vector<Dim>{}, {}, {}}, "cast");
    y = graph.add_value(TensorType{DType::Bool, std::vector<Dim>{Dim(3)}, {}, {}}, "y");
    ops = {{"", "Cast", 13, {{"to", static_cast<std::int64_t>(to)}}, {number}, {cast}, {}},
           {"", "Greater", 13, {}, {x, cast}, {y}, {}}};
  }

  std::vector<TensorOp> folded(std::vector<ValueId> outputs) {
    ConstantTable constants;
    constants.update(graph);
    return CastFolder().fold(graph, constants, ops, outputs);
  }
};

TEST(FoldCasts, ANumberIsRoundedAsTheCastWould) {
  Example example(one(DType::F64, {}, 0.1), DType::F32);
  const std::vector<TensorOp> ops = example.folded({example.y});
  ASSERT_EQ(ops.size(), 1U);
  ASSERT_EQ(ops[0].inputs[1], example.graph.constants.back().value);
  const TensorData& made = *example.graph.constants.back().data;
  EXPECT_EQ(made.dtype, DType::F32);
  float value = 0;
  std::memcpy(&value, made.bytes.data(), sizeof value);
  EXPECT_EQ(value, 0.1F);
}

TEST(FoldCasts, AnIntBecomesAFloat) {
  Example example(one<std::int64_t>(DType::I64, {1}, 16777217), DType::F32);
  ASSERT_EQ(example.folded({example.y}).size(), 1U);
  float value = 0;
  std::memcpy(&value, example.graph.constants.back().data->bytes.data(), sizeof value);
  EXPECT_EQ(value, 16777216.0F);
}

TEST(FoldCasts, WhatIsWantedOutsideStays) {
  Example example(one(DType::F64, {}, 0.1), DType::F32);
  EXPECT_EQ(example.folded({example.y, example.cast}).size(), 2U);
}

TEST(FoldCasts, OtherTypesStay) {
  Example narrowed(one(DType::F64, {}, 0.1), DType::F16);
  EXPECT_EQ(narrowed.folded({narrowed.y}).size(), 2U);
  Example truncated(one(DType::F64, {}, 0.1), DType::I32);
  EXPECT_EQ(truncated.folded({truncated.y}).size(), 2U);
}

}  // namespace
}  // namespace dycl
