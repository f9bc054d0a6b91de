// SPDX-License-Identifier: Apache-2.0
// Each host operation through a loaded program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runtime/host_op_call.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Attributes ints(const std::string& name, std::int64_t value) { return {{name, Attribute(value)}}; }

Scalar scalar(const Result<std::vector<RuntimeValue>>& results) {
  EXPECT_TRUE(results) << to_string(results.error());
  return std::get<Scalar>(results->at(0));
}

RuntimeValue float_of(double value) { return Scalar(value); }
RuntimeValue bool_of(bool value) { return Scalar(value); }

TEST(ScalarOps, arithmetic_follows_python) {
  const std::vector<std::string> i{"int", "int", "int"};
  EXPECT_EQ(scalar(apply(HostOp::Add, i, {int_of(2), int_of(3)})), Scalar(std::int64_t{5}));
  EXPECT_EQ(scalar(apply(HostOp::Sub, i, {int_of(2), int_of(3)})), Scalar(std::int64_t{-1}));
  EXPECT_EQ(scalar(apply(HostOp::Mul, i, {int_of(2), int_of(3)})), Scalar(std::int64_t{6}));
  EXPECT_EQ(scalar(apply(HostOp::FloorDiv, i, {int_of(-7), int_of(2)})), Scalar(std::int64_t{-4}));
  EXPECT_EQ(scalar(apply(HostOp::Mod, i, {int_of(-7), int_of(2)})), Scalar(std::int64_t{1}));
  EXPECT_EQ(scalar(apply(HostOp::Add, {"float", "float", "float"}, {float_of(0.5), float_of(0.25)})),
            Scalar(0.75));
  expect_raised(apply(HostOp::FloorDiv, i, {int_of(1), int_of(0)}), "ZeroDivisionError", "division");
  expect_raised(apply(HostOp::Add, i, {int_of(std::numeric_limits<std::int64_t>::max()), int_of(1)}),
                "OverflowError", "64 bits");
}

TEST(ScalarOps, comparisons_and_logic_give_bools) {
  EXPECT_EQ(scalar(apply(HostOp::Lt, {"int", "int", "bool"}, {int_of(1), int_of(2)})), Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::Le, {"float", "float", "bool"}, {float_of(2), float_of(1)})), Scalar(false));
  EXPECT_EQ(scalar(apply(HostOp::Eq, {"int", "int", "bool"}, {int_of(1), int_of(1)})), Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::Ne, {"int", "int", "bool"}, {int_of(1), int_of(1)})), Scalar(false));
  EXPECT_EQ(scalar(apply(HostOp::And, {"bool", "bool", "bool"}, {bool_of(true), bool_of(false)})),
            Scalar(false));
  EXPECT_EQ(scalar(apply(HostOp::Or, {"bool", "bool", "bool"}, {bool_of(true), bool_of(false)})),
            Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::Not, {"bool", "bool"}, {bool_of(true)})), Scalar(false));
}

TEST(ScalarOps, conversions_follow_python) {
  EXPECT_EQ(scalar(apply(HostOp::ToInt, {"float", "int"}, {float_of(-2.9)})), Scalar(std::int64_t{-2}));
  EXPECT_EQ(scalar(apply(HostOp::ToFloat, {"int", "float"}, {int_of(3)})), Scalar(3.0));
  EXPECT_EQ(scalar(apply(HostOp::ToBool, {"int", "bool"}, {int_of(7)})), Scalar(true));
  expect_raised(apply(HostOp::ToInt, {"float", "int"}, {float_of(std::numeric_limits<double>::quiet_NaN())}),
                "ValueError", "NaN");
}

TEST(ScalarOps, a_constant_is_of_its_slots_kind) {
  EXPECT_EQ(scalar(apply(HostOp::Const, {"int"}, {}, ints("value", 5))), Scalar(std::int64_t{5}));
  EXPECT_EQ(scalar(apply(HostOp::Const, {"bool"}, {}, ints("value", 1))), Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::Const, {"float"}, {}, {{"value", Attribute(0.5)}})), Scalar(0.5));
}

TEST(TensorOps, item_reads_the_only_element) {
  EXPECT_EQ(scalar(apply(HostOp::Item, {"i64[]", "int"}, {i64({}, {42})})), Scalar(std::int64_t{42}));
  EXPECT_EQ(scalar(apply(HostOp::Item, {"f32[1,1]", "float"}, {f32({1, 1}, {0.5F})})), Scalar(0.5));
  EXPECT_EQ(scalar(apply(HostOp::Item, {"bool[]", "bool"}, {of(DType::Bool, {}, {1})})), Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::Item, {"i64[]", "bool"}, {i64({}, {2})})), Scalar(true));
  expect_raised(apply(HostOp::Item, {"i64[*]", "int"}, {i64({2}, {1, 2})}), "ValueError", "i64[2]");
}

TEST(TensorOps, to_tensor_makes_one_element) {
  const auto made =
      apply(HostOp::ToTensor, {"int", "f32[1]"}, {int_of(3)},
            {{"dtype", Attribute(std::string("f32"))}, {"dims", Attribute(std::vector<std::int64_t>{1})}});
  ASSERT_TRUE(made);
  EXPECT_THAT(dims(made->at(0)), ElementsAre(1));
  EXPECT_THAT(f32s(made->at(0)), ElementsAre(3.0F));
  expect_raised(
      apply(HostOp::ToTensor, {"int", "u8[]"}, {int_of(256)}, {{"dtype", Attribute(std::string("u8"))}}),
      "OverflowError", "256 does not fit into u8");
}

TEST(TensorOps, dim_and_numel_read_sizes) {
  const RuntimeValue x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(scalar(apply(HostOp::Dim, {"f32[2,3]", "int"}, {x}, ints("axis", -1))), Scalar(std::int64_t{3}));
  EXPECT_EQ(scalar(apply(HostOp::Numel, {"f32[2,3]", "int"}, {x})), Scalar(std::int64_t{6}));
  expect_raised(apply(HostOp::Dim, {"f32[*]", "int"}, {x}, ints("axis", 2)), "IndexError", "axis 2");
}

TEST(TensorOps, view_changes_sizes_only) {
  const RuntimeValue x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto viewed = [&](std::vector<std::int64_t> wanted) {
    return apply(HostOp::View, {"f32[2,3]", "f32[*]"}, {x}, {{"dims", Attribute(std::move(wanted))}});
  };
  EXPECT_THAT(dims(viewed({3, 2})->at(0)), ElementsAre(3, 2));
  EXPECT_THAT(dims(viewed({0, 1, -1})->at(0)), ElementsAre(2, 1, 3));
  EXPECT_THAT(f32s(viewed({-1})->at(0)), ElementsAre(1, 2, 3, 4, 5, 6));
  expect_raised(viewed({4, -1}), "ValueError", "f32[2,3] cannot be viewed as [4, -1]");
  expect_raised(viewed({5}), "ValueError", "cannot be viewed");
}

TEST(TensorOps, view_of_an_empty_tensor_keeps_it_empty) {
  const auto viewed = apply(HostOp::View, {"f32[0,3]", "f32[*]"}, {f32({0, 3}, {})},
                            {{"dims", Attribute(std::vector<std::int64_t>{-1, 3})}});
  ASSERT_TRUE(viewed);
  EXPECT_THAT(dims(viewed->at(0)), ElementsAre(0, 3));
}

TEST(TensorOps, row_is_one_index_of_the_first_axis) {
  const RuntimeValue x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto row = [&](std::int64_t index) {
    return apply(HostOp::Row, {"f32[3,2]", "int", "f32[2]"}, {x, int_of(index)});
  };
  EXPECT_THAT(f32s(row(1)->at(0)), ElementsAre(3, 4));
  EXPECT_THAT(f32s(row(-1)->at(0)), ElementsAre(5, 6));
  EXPECT_THAT(dims(row(0)->at(0)), ElementsAre(2));
  expect_raised(row(3), "IndexError", "index 3 is out of range for dim 0 of size 3");
  expect_raised(row(-4), "IndexError", "index -4");
}

TEST(TensorOps, rows_of_base_draws_are_used_up) {
  const auto row = [](std::int64_t index) {
    return apply(HostOp::Row, {"f32[2,1]", "int", "f32[1]"}, {f32({2, 1}, {1, 2}), int_of(index)},
                 {{"draws", Attribute(std::string("draws:model.py:31:uniform"))}});
  };
  EXPECT_THAT(f32s(row(1)->at(0)), ElementsAre(2));
  const auto beyond = row(2);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, "run.draws_used_up");
  EXPECT_THAT(beyond.error().message, ::testing::HasSubstr("'draws:model.py:31:uniform' has rows (2)"));
}

TEST(TensorOps, row_of_strings_and_of_packed_elements_is_cut_right) {
  const auto text =
      apply(HostOp::Row, {"str[2,2]", "int", "str[2]"}, {strings({2, 2}, {"a", "", "ccc", "dd"}), int_of(1)});
  ASSERT_TRUE(text);
  EXPECT_THAT(texts(text->at(0)), ElementsAre("ccc", "dd"));
  // Three elements of four bits a row: the second row starts in the middle of a byte.
  const auto packed =
      apply(HostOp::Row, {"u4[2,3]", "int", "u4[3]"}, {of(DType::U4, {2, 3}, {0x21, 0x43, 0x65}), int_of(1)});
  ASSERT_TRUE(packed);
  const auto& tensor = std::get<RuntimeTensor>(packed->at(0));
  ASSERT_EQ(tensor.byte_size, 2U);
  EXPECT_EQ(tensor.data[0], std::byte{0x54});
  EXPECT_EQ(tensor.data[1], std::byte{0x06});
}

TEST(OptionalOps, some_none_has_value_and_unwrap) {
  EXPECT_THAT(f32s(apply(HostOp::Some, {"f32[1]", "optional<f32[1]>"}, {f32({1}, {7})})->at(0)),
              ElementsAre(7));
  EXPECT_FALSE(apply(HostOp::None, {"optional<f32[1]>"}, {})->at(0).has_value());
  const std::vector<std::string> asks{"optional<f32[1]>", "bool"};
  EXPECT_EQ(scalar(apply(HostOp::HasValue, asks, {f32({1}, {7})})), Scalar(true));
  EXPECT_EQ(scalar(apply(HostOp::HasValue, asks, {NoValue{}})), Scalar(false));
  const std::vector<std::string> unwraps{"optional<f32[1]>", "f32[1]"};
  EXPECT_THAT(f32s(apply(HostOp::Unwrap, unwraps, {f32({1}, {7})})->at(0)), ElementsAre(7));
  expect_raised(apply(HostOp::Unwrap, unwraps, {NoValue{}}), "ValueError", "no value");
}

}  // namespace
}  // namespace dycl::runtime::testing
