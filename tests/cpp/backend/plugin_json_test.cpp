// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin_json.h"

#include <gtest/gtest.h>

namespace dycl {
namespace {

constexpr std::string_view good =
    R"({"name": "a", "version": "1", "library": "l", "opset": 21, "ir_version": 10,
  "dtypes": {"f32": "yes"}, "notes": ["n"], "rewrites": ["r"], "checks": ["c"],
  "deterministic_blob": false})";

TEST(DescriptionText, IsReadWhole) {
  const auto description = parse_description(good);
  ASSERT_TRUE(description) << to_string(description.error());
  EXPECT_EQ(description->name, "a");
  EXPECT_EQ(description->opset, 21);
  EXPECT_EQ(description->dtypes.at("f32"), "yes");
  EXPECT_EQ(description->notes, std::vector<std::string>{"n"});
  EXPECT_EQ(description->rewrites, std::vector<std::string>{"r"});
  EXPECT_EQ(description->checks, std::vector<std::string>{"c"});
  EXPECT_FALSE(description->takes_aten);
  EXPECT_FALSE(description->deterministic_blob);
}

TEST(DescriptionText, ThatIsWrongIsAnError) {
  for (const char* text : {"", "[]", "{}", "{\"name\": 3}", "{\"name\"", "null", "\xff\xfe"})
    EXPECT_FALSE(parse_description(text)) << text;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"f32\"", "\"f33\""},
                                                                                 {"21", "\"21\""},
                                                                                 {"[\"n\"]", "[1]"},
                                                                                 {"[\"r\"]", "{}"},
                                                                                 {"[\"c\"]", "3"},
                                                                                 {"false", "0"}}) {
    std::string text(good);
    text.replace(text.find(from), from.size(), to);
    EXPECT_FALSE(parse_description(text)) << text;
  }
}

TEST(TraitsText, IsReadWhole) {
  const auto traits = parse_traits(
      R"({"vendor": {"library": "libv.so", "folder": "v/lib", "install": "get v"}, "blob": "data",
          "preference": 3, "reference": true})");
  ASSERT_TRUE(traits) << to_string(traits.error());
  EXPECT_EQ(traits->vendor->file, "libv.so");
  EXPECT_EQ(traits->vendor->folder, "v/lib");
  EXPECT_EQ(traits->vendor->install, "get v");
  EXPECT_EQ(traits->blob, BlobKind::Data);
  EXPECT_EQ(traits->preference, 3);
  EXPECT_TRUE(traits->is_reference);
}

TEST(TraitsText, MayLeaveOutAllButTheKindOfBlob) {
  const auto traits = parse_traits(R"({"blob": "native"})");
  ASSERT_TRUE(traits) << to_string(traits.error());
  EXPECT_EQ(traits->blob, BlobKind::Native);
  EXPECT_FALSE(traits->vendor || traits->preference || traits->is_reference);
}

TEST(TraitsText, ThatIsWrongIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"blob": "harmless"})", R"({"blob": true})", R"({"blob": "data", "vendor": "v"})",
        R"({"blob": "data", "vendor": {"library": "l"}})", R"({"blob": "data", "preference": "first"})",
        R"({"blob": "data", "reference": 1})"})
    EXPECT_FALSE(parse_traits(text)) << text;
}

TEST(InferredTypesText, KeepsSizesSymbolsAndUnknowns) {
  const auto types =
      parse_inferred_types(R"([{"dtype": 1, "dims": [1, "n", null]}, {"dtype": 7, "dims": null}])");
  ASSERT_TRUE(types) << to_string(types.error());
  ASSERT_EQ(types->size(), 2U);
  EXPECT_EQ(types->at(0).dims->at(0).size, 1);
  EXPECT_EQ(types->at(0).dims->at(1).symbol, "n");
  EXPECT_EQ(types->at(0).dims->at(2).size, -1);
  EXPECT_EQ(types->at(1).dtype, DType::I64);
  EXPECT_FALSE(types->at(1).dims);
}

TEST(InferredTypesText, ThatIsWrongIsAnError) {
  for (const char* text : {"", "{}", "[1]", "[{}]", R"([{"dtype": 99, "dims": []}])", R"([{"dtype": 1}])",
                           R"([{"dtype": 1, "dims": [-2]}])", R"([{"dtype": 1, "dims": [1.5]}])",
                           R"([{"dtype": 1, "dims": [""]}])", R"([{"dtype": 1, "dims": 3}])"})
    EXPECT_FALSE(parse_inferred_types(text)) << text;
}

TEST(InferredTypesText, MayBeNestedAbsurdlyWithoutHarm) {
  EXPECT_FALSE(parse_inferred_types(std::string(100000, '[')));
}

TEST(PluginJson, AnErrorIsASentenceOrHasPartsOfItsOwn) {
  EXPECT_EQ(parse_error("it broke").message, "it broke");
  const PluginError error = parse_error(R"({"message": "it broke", "code": "x.y", "hint": "mend it"})");
  EXPECT_EQ(error.message, "it broke");
  EXPECT_EQ(error.code, "x.y");
  EXPECT_EQ(error.hint, "mend it");
  for (const char* odd : {"{", "{}", "{\"message\": 3}", "{\"message\"", "[1]", ""})
    EXPECT_EQ(parse_error(odd).message, odd);
}

}  // namespace
}  // namespace dycl
