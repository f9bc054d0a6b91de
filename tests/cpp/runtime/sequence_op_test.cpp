// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/host_op_call.h"

namespace dycl::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Values = std::vector<RuntimeValue>;

RuntimeValue one(float value) { return f32({1}, {value}); }
RuntimeValue seq(Values items) { return RuntimeValue::sequence(std::move(items)); }

std::vector<float> flat(const RuntimeValue& sequence) {
  std::vector<float> all;
  for (const RuntimeValue& item : *sequence.items())
    for (const float value : f32s(item)) all.push_back(value);
  return all;
}

const std::string kSeq = "seq<f32[*]>";

TEST(SequenceOps, are_built_empty_or_of_values) {
  EXPECT_THAT(*apply(HostOp::SeqEmpty, {kSeq}, {})->at(0).items(), IsEmpty());
  EXPECT_THAT(flat(apply(HostOp::SeqOf, {"f32[1]", "f32[1]", kSeq}, {one(1), one(2)})->at(0)),
              ElementsAre(1, 2));
}

TEST(SequenceOps, insert_appends_or_takes_a_position_like_python) {
  const Values start{seq({one(1), one(2)}), one(9)};
  EXPECT_THAT(flat(apply(HostOp::SeqInsert, {kSeq, "f32[1]", kSeq}, start)->at(0)), ElementsAre(1, 2, 9));
  const auto at = [&](std::int64_t position) {
    return apply(HostOp::SeqInsert, {kSeq, "f32[1]", "int", kSeq}, {start[0], start[1], int_of(position)});
  };
  EXPECT_THAT(flat(at(0)->at(0)), ElementsAre(9, 1, 2));
  EXPECT_THAT(flat(at(-1)->at(0)), ElementsAre(1, 9, 2));
  EXPECT_THAT(flat(at(2)->at(0)), ElementsAre(1, 2, 9));
  expect_raised(at(3), "IndexError", "index 3 is out of range for a sequence of 2");
  expect_raised(at(-3), "IndexError", "index -3");
  EXPECT_THAT(flat(start[0]), ElementsAre(1, 2)) << "the caller's sequence must not change";
}

TEST(SequenceOps, erase_takes_the_last_or_a_position) {
  const RuntimeValue start = seq({one(1), one(2), one(3)});
  EXPECT_THAT(flat(apply(HostOp::SeqErase, {kSeq, kSeq}, {start})->at(0)), ElementsAre(1, 2));
  EXPECT_THAT(flat(apply(HostOp::SeqErase, {kSeq, "int", kSeq}, {start, int_of(-3)})->at(0)),
              ElementsAre(2, 3));
  expect_raised(apply(HostOp::SeqErase, {kSeq, kSeq}, {seq({})}), "IndexError", "sequence of 0");
}

TEST(SequenceOps, at_and_len_read) {
  const RuntimeValue start = seq({one(1), one(2), one(3)});
  EXPECT_THAT(f32s(apply(HostOp::SeqAt, {kSeq, "int", "f32[*]"}, {start, int_of(-1)})->at(0)),
              ElementsAre(3));
  expect_raised(apply(HostOp::SeqAt, {kSeq, "int", "f32[*]"}, {start, int_of(3)}), "IndexError", "index 3");
  EXPECT_EQ(std::get<Scalar>(apply(HostOp::SeqLen, {kSeq, "int"}, {start})->at(0)), Scalar(std::int64_t{3}));
}

Attributes axis(std::int64_t value) { return {{"axis", Attribute(value)}}; }
Attributes stack(std::int64_t value) {
  return {{"axis", Attribute(value)}, {"new_axis", Attribute(std::int64_t{1})}};
}

TEST(SequenceConcat, joins_along_any_axis) {
  const RuntimeValue parts = seq({f32({2, 1}, {1, 2}), f32({2, 2}, {3, 4, 5, 6})});
  const auto joined = apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {parts}, axis(-1));
  ASSERT_TRUE(joined) << to_string(joined.error());
  EXPECT_THAT(dims(joined->at(0)), ElementsAre(2, 3));
  EXPECT_THAT(f32s(joined->at(0)), ElementsAre(1, 3, 4, 2, 5, 6));
  expect_raised(apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {parts}, axis(0)), "ValueError",
                "f32[2,1] and f32[2,2] cannot be joined along axis 0");
  expect_raised(apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {parts}, axis(2)), "IndexError", "axis 2");
}

TEST(SequenceConcat, stacks_on_a_new_axis) {
  const RuntimeValue parts = seq({f32({2}, {1, 2}), f32({2}, {3, 4})});
  const auto rows = apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {parts}, stack(0));
  EXPECT_THAT(dims(rows->at(0)), ElementsAre(2, 2));
  EXPECT_THAT(f32s(rows->at(0)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(f32s(apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {parts}, stack(1))->at(0)),
              ElementsAre(1, 3, 2, 4));
  const auto single = apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {seq({f32({2}, {1, 2})})}, stack(-1));
  EXPECT_THAT(dims(single->at(0)), ElementsAre(2, 1));
}

TEST(SequenceConcat, of_nothing_follows_the_output_type) {
  const auto empty = apply(HostOp::SeqConcat, {kSeq, "f32[m,3]"}, {seq({})}, axis(0));
  ASSERT_TRUE(empty) << to_string(empty.error());
  EXPECT_THAT(dims(empty->at(0)), ElementsAre(0, 3));
  expect_raised(apply(HostOp::SeqConcat, {kSeq, "f32[m,k]"}, {seq({})}, axis(0)), "ValueError", "size 1");
  expect_raised(apply(HostOp::SeqConcat, {kSeq, "f32[*]"}, {seq({})}, axis(0)), "ValueError", "rank");
}

TEST(SequenceConcat, joins_strings_and_packed_elements) {
  const RuntimeValue words = seq({strings({2, 1}, {"a", "bb"}), strings({2, 1}, {"", "dddd"})});
  const auto joined = apply(HostOp::SeqConcat, {"seq<str[*]>", "str[*]"}, {words}, axis(1));
  ASSERT_TRUE(joined) << to_string(joined.error());
  EXPECT_THAT(texts(joined->at(0)), ElementsAre("a", "", "bb", "dddd"));
  const RuntimeValue nibbles = seq({of(DType::U4, {3}, {0x21, 0x03}), of(DType::U4, {2}, {0x54})});
  const auto packed = apply(HostOp::SeqConcat, {"seq<u4[*]>", "u4[*]"}, {nibbles}, axis(0));
  ASSERT_TRUE(packed) << to_string(packed.error());
  const auto& tensor = std::get<RuntimeTensor>(packed->at(0));
  ASSERT_EQ(tensor.byte_size, 3U);
  EXPECT_EQ(tensor.data[0], std::byte{0x21});
  EXPECT_EQ(tensor.data[1], std::byte{0x43});
  EXPECT_EQ(tensor.data[2], std::byte{0x05});
}

TEST(SequenceSplit, cuts_into_ones_chunks_or_given_sizes) {
  const RuntimeValue x = f32({5}, {1, 2, 3, 4, 5});
  const auto ones = apply(HostOp::SeqSplit, {"f32[5]", kSeq}, {x}, axis(0));
  ASSERT_EQ(ones->at(0).items()->size(), 5U);
  EXPECT_THAT(dims(ones->at(0).items()->at(0)), ElementsAre(1));
  const auto dropped =
      apply(HostOp::SeqSplit, {"f32[5]", kSeq}, {x},
            {{"axis", Attribute(std::int64_t{0})}, {"keepdims", Attribute(std::int64_t{0})}});
  EXPECT_THAT(dims(dropped->at(0).items()->at(4)), IsEmpty());
  const auto chunks = apply(HostOp::SeqSplit, {"f32[5]", "i64[]", kSeq}, {x, i64({}, {2})}, axis(0));
  ASSERT_EQ(chunks->at(0).items()->size(), 3U);
  EXPECT_THAT(f32s(chunks->at(0).items()->at(2)), ElementsAre(5));
  const auto sizes = apply(HostOp::SeqSplit, {"f32[5]", "i64[3]", kSeq}, {x, i64({3}, {1, 0, 4})}, axis(0));
  ASSERT_TRUE(sizes) << to_string(sizes.error());
  EXPECT_THAT(f32s(sizes->at(0).items()->at(2)), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(dims(sizes->at(0).items()->at(1)), ElementsAre(0));
}

TEST(SequenceSplit, refuses_sizes_that_do_not_fit) {
  const RuntimeValue x = f32({5}, {1, 2, 3, 4, 5});
  const auto split = [&](RuntimeValue sizes, const std::string& type) {
    return apply(HostOp::SeqSplit, {"f32[5]", type, kSeq}, {x, std::move(sizes)}, axis(0));
  };
  expect_raised(split(i64({2}, {2, 2}), "i64[2]"), "ValueError", "sizes [2, 2] do not split 5");
  expect_raised(split(i64({2}, {-1, 6}), "i64[2]"), "ValueError", "do not split");
  expect_raised(split(i64({2}, {6, -1}), "i64[2]"), "ValueError", "do not split");
  expect_raised(split(i64({}, {0}), "i64[]"), "ValueError", "0 is no size");
}

TEST(SequenceSplit, cuts_inner_axes_and_strings) {
  const auto columns = apply(HostOp::SeqSplit, {"f32[2,2]", kSeq}, {f32({2, 2}, {1, 2, 3, 4})}, axis(1));
  EXPECT_THAT(f32s(columns->at(0).items()->at(1)), ElementsAre(2, 4));
  const auto words =
      apply(HostOp::SeqSplit, {"str[2,2]", "seq<str[*]>"}, {strings({2, 2}, {"a", "bb", "", "d"})}, axis(1));
  ASSERT_TRUE(words) << to_string(words.error());
  EXPECT_THAT(texts(words->at(0).items()->at(1)), ElementsAre("bb", "d"));
}

}  // namespace
}  // namespace dycl::runtime::testing
