// SPDX-License-Identifier: Apache-2.0
#include "base/type_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dycl {
namespace {

// Symbols in order of appearance.
struct Symbols {
  std::vector<std::string> names;

  SymbolId id(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return SymbolId(static_cast<std::size_t>(found - names.begin()));
    names.emplace_back(name);
    return SymbolId(names.size() - 1);
  }
};

Result<Type> parse(std::string_view text, Symbols& symbols) {
  return parse_type(text, [&](std::string_view name) { return symbols.id(name); });
}

std::string error_of(std::string_view text) {
  Symbols symbols;
  const auto type = parse(text, symbols);
  return type ? "accepted" : type.error().message;
}

class TypeTextRoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(TypeTextRoundTrip, ParsingIsTheInverseOfPrinting) {
  Symbols symbols;
  const auto type = parse(GetParam(), symbols);
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(to_string(*type, [&](SymbolId id) { return symbols.names[id.index()]; }), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Types, TypeTextRoundTrip,
                         testing::Values("bool", "int", "float", "str", "bool[]", "bool[3]", "str[2]",
                                         "f32[*]", "f32[1,n,16]", "f32[2*n-m+1]", "i64[-n]", "f8e4m3fn[2]",
                                         "f32[3]@cuda:0", "f32[*]@cpu:1", "seq<f32[n,m]>",
                                         "optional<seq<str[]>>", "seq<int>", "f32[-9223372036854775808*n]",
                                         "f32[9223372036854775807]", "f32[seq_len.1,_x]"));

TEST(TypeTextTest, ScalarsAndTensorsOfOneNameAreTold) {
  Symbols symbols;
  EXPECT_EQ(parse("bool", symbols).value(), Type(ScalarType{ScalarKind::Bool}));
  EXPECT_EQ(parse("bool[]", symbols).value(), Type(TensorType{DType::Bool, std::vector<Dim>{}, {}}));
  EXPECT_EQ(parse("str", symbols).value(), Type(StringType{}));
}

TEST(TypeTextTest, TermsOfOneSymbolAreSummedUp) {
  Symbols symbols;
  EXPECT_EQ(parse("f32[n+n-2*n]", symbols).value(), parse("f32[0]", symbols).value());
}

TEST(TypeTextTest, APrefixLeavesTheRest) {
  Symbols symbols;
  std::string_view text = "seq<int>, x";
  ASSERT_TRUE(parse_type_prefix(text, [&](std::string_view name) { return symbols.id(name); }));
  EXPECT_EQ(text, ", x");
}

TEST(TypeTextTest, WrongTextIsNamed) {
  EXPECT_EQ(error_of(""), "expected a type in a type, found the end");
  EXPECT_EQ(error_of("f33[1]"), "expected an element type in a type, found 'f33[1]'");
  EXPECT_EQ(error_of("f32"), "expected a type in a type, found 'f32'");
  EXPECT_EQ(error_of("f32[1"), "expected ',' or ']' in a type, found the end");
  EXPECT_EQ(error_of("f32[1,]"), "expected a size or a symbol in a type, found ']'");
  EXPECT_EQ(error_of("f32[2*]"), "expected a size or a symbol in a type, found ']'");
  EXPECT_EQ(error_of("f32[1]x"), "expected nothing more in a type, found 'x'");
  EXPECT_EQ(error_of("f32[1]@tpu:0"), "expected 'cpu' or 'cuda' in a type, found 'tpu:0'");
  EXPECT_EQ(error_of("seq<f32[1]"), "expected '>' in a type, found the end");
}

TEST(TypeTextTest, NumbersThatDoNotFitAreRefused) {
  EXPECT_NE(error_of("f32[9223372036854775808]"), "accepted");
  EXPECT_NE(error_of("f32[99999999999999999999999]"), "accepted");
  EXPECT_NE(error_of("f32[9223372036854775807+n+1]"), "accepted");
  EXPECT_NE(error_of("f32[9223372036854775807*n+n]"), "accepted");
  EXPECT_NE(error_of("f32[1]@cuda:4294967296"), "accepted");
}

TEST(TypeTextTest, DeepAndLongTextIsRefusedWithoutRecursingIntoIt) {
  std::string deep;
  for (int level = 0; level < 100000; ++level) deep += "seq<";
  EXPECT_NE(error_of(deep), "accepted");
  std::string wide = "f32[1";
  for (int axis = 0; axis < 100000; ++axis) wide += ",1";
  EXPECT_NE(error_of(wide + "]"), "accepted");
}

}  // namespace
}  // namespace dycl
