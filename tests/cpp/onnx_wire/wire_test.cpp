// SPDX-License-Identifier: Apache-2.0
#include "onnx_wire/wire.h"

#include <gtest/gtest.h>

namespace dycl::onnx_wire {
namespace {

using namespace std::string_literals;

TEST(Wire, NumbersOfEveryLengthComeBack) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    std::string message;
    append_number(message, 3, value);
    WireReader reader(message);
    WireField field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_TRUE(field.is_number(3));
    EXPECT_EQ(field.value, value);
    EXPECT_EQ(field.whole, message);
    EXPECT_FALSE(reader.next(field));
    EXPECT_FALSE(reader.is_damaged());
  }
}

TEST(Wire, TextsAndFloatsComeBack) {
  std::string message;
  append_bytes(message, 1, "text");
  append_float(message, 536870911, -0.5F);
  WireReader reader(message);
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_TRUE(field.is_bytes(1));
  EXPECT_EQ(field.bytes, "text");
  ASSERT_TRUE(reader.next(field));
  EXPECT_TRUE(field.is_float(536870911));
  EXPECT_EQ(float_of(field.bytes), -0.5F);
}

TEST(Wire, AFieldIsFoundWhateverItsKind) {
  std::string message;
  append_bytes(message, 1, "text");
  append_number(message, 25, 0);
  EXPECT_TRUE(has_field(message, 25));
  EXPECT_FALSE(has_field(message, 24));
}

// Each ends the walk, wherever the damage lies.
TEST(Wire, DamageEndsTheWalk) {
  const std::string endless(11, '\xff');
  for (const std::string& damaged : {
           "\x0a"s,                                          // a text without a size
           "\x0a\x05text"s,                                  // a text that is too short
           "\x08"s,                                          // a number without a value
           "\x0d\x01\x02"s,                                  // half a float
           "\x09\x01\x02"s,                                  // half a double
           "\x0b\x0c"s,                                      // a group
           "\x07"s,                                          // field 0
           "\x0e\x01"s,                                      // a kind that does not exist
           endless,                                          // a tag without an end
           "\x08"s + endless,                                // a number without an end
           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,  // a size of 2^64 - 1
       }) {
    WireReader reader(damaged);
    WireField field;
    EXPECT_FALSE(reader.next(field)) << testing::PrintToString(damaged);
    EXPECT_TRUE(reader.is_damaged()) << testing::PrintToString(damaged);
    EXPECT_FALSE(reader.next(field));
  }
}

}  // namespace
}  // namespace dycl::onnx_wire
