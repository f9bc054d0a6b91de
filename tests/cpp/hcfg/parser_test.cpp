// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hcfg/fragment.h"
#include "hcfg/text.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

std::string error_of(std::string_view text) {
  const auto graph = parse_hcfg(text);
  if (graph) return "accepted";
  EXPECT_EQ(graph.error().code, "hcfg.parse");
  EXPECT_EQ(graph.error().blame, Blame::Usage);
  return graph.error().message;
}

std::string in_block(std::string_view body) {
  return "hcfg main(%x: f32[n]) -> (y: f32[n]) {\n  b0:\n    " + std::string(body) + "\n}\n";
}

TEST(ParserTest, ErrorsNameLineAndColumn) {
  const auto graph = parse_hcfg(in_block("return %z"));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().span.line, 3U);
  EXPECT_EQ(graph.error().span.column, 12U);
  EXPECT_EQ(graph.error().message, "line 3, column 12: %z is used and never defined");
}

TEST(ParserTest, WrongTextIsNamed) {
  EXPECT_EQ(error_of(""), "line 1, column 1: expected 'hcfg', found the end");
  EXPECT_EQ(error_of(in_block("jump b7()")), "line 3, column 10: there is no block b7");
  EXPECT_EQ(error_of(in_block("jump c7()")), "line 3, column 10: expected a block like b0, found 'c7'");
  EXPECT_EQ(error_of(in_block("%y: f32[n] = frobnicate(%x) return %y")),
            "line 3, column 18: 'frobnicate' is not a host operation");
  EXPECT_EQ(error_of(in_block("%x: int = const() {value=1} return %x")),
            "line 3, column 5: %x is defined twice");
  EXPECT_EQ(error_of(in_block("%i: int = const() {value=1, value=2} return %x")),
            "line 3, column 33: the attribute 'value' is given twice");
  EXPECT_EQ(error_of(in_block("%i: integer = const() {value=1} return %x")),
            "line 3, column 9: expected a type in a type, found 'integer = const() {value…'");
  EXPECT_EQ(error_of(in_block("return %x } x")), "line 3, column 17: expected nothing more, found \"x\"");
  EXPECT_EQ(error_of(in_block("raise E \"open\n\"()")),
            "line 3, column 13: quoted text does not end on its line");
}

TEST(ParserTest, RangesBelongToKnownSymbolsOnce) {
  const auto with_ranges = [](std::string_view ranges) {
    return "hcfg main(%x: f32[n]) -> () { " + std::string(ranges) + " b0: return }";
  };
  const auto graph = parse_hcfg(with_ranges("range n = 1..8"));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->symbols.at(0).range, (DimRange{1, 8}));
  EXPECT_EQ(error_of(with_ranges("range m = 1..8")), "line 1, column 37: no input has the size m");
  EXPECT_EQ(error_of(with_ranges("range n = 1..8 range n = 2..3")), "line 1, column 52: n has two ranges");
  EXPECT_EQ(error_of(with_ranges("range n = 1")), "line 1, column 43: expected '..', found \"b0: return }\"");
}

TEST(ParserTest, ContentsMustFillTheirType) {
  const auto with_constant = [](std::string_view text) {
    return "hcfg main() -> () { const %c: " + std::string(text) + " b0: return }";
  };
  EXPECT_NE(error_of(with_constant("i64[2] = hex \"00\"")).find("1 bytes do not fill"), std::string::npos);
  EXPECT_NE(error_of(with_constant("u8[1] = hex \"0g\"")).find("hex contents need pairs"), std::string::npos);
  EXPECT_NE(error_of(with_constant("u8[n] = hex \"00\"")).find("sizes are numbers"), std::string::npos);
  EXPECT_NE(error_of(with_constant("str[9223372036854775807] = hex \"\"")).find("do not fill"),
            std::string::npos);
  EXPECT_NE(error_of(with_constant("u8[1] = key \"ab\"")).find("are not at hand"), std::string::npos);
}

TEST(ParserTest, CommentsAndBlanksDoNotMatter) {
  const auto graph = parse_hcfg("hcfg main ( ) -> ( ) { // why\n b0 : // here\n return }");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(print(*graph), "hcfg main() -> () {\n  b0:\n    return\n}\n");
}

TEST(ParserTest, EveryPrefixOfATextIsAnErrorAndNoCrash) {
  const std::string text = in_block("%i: int = const() {value=1} switch %i [b0()] else b0()");
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_NE(error_of(text.substr(0, length)), "accepted");
}

TEST(PrinterTest, BigConstantsArePrintedByKeyAndReadBack) {
  Hcfg graph;
  graph.add_block();
  graph.add_constant(make_tensor(DType::U8, {100}, std::vector<std::byte>(100, std::byte{7})), "w");
  const std::string text = print(graph);
  const TensorPtr data = graph.constants[0].data;
  EXPECT_NE(text.find("key \"" + constant_key(*data) + "\""), std::string::npos);
  const auto again =
      parse_hcfg(text, [&](std::string_view key) { return key == constant_key(*data) ? data : nullptr; });
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again->constants[0].data, *data);
}

TEST(PrinterTest, EqualHintsGetDifferentNames) {
  auto graph = parse_hcfg(in_block("%a: int = const() {value=1} %b: int = const() {value=2} return %x"));
  ASSERT_TRUE(graph);
  for (GraphValue& value : graph->values) value.name = "same name";
  const std::string text = print(*graph);
  EXPECT_NE(text.find("x %same_name: f32[n]"), std::string::npos) << text;
  EXPECT_NE(text.find("%same_name_2: int"), std::string::npos) << text;
  EXPECT_EQ(print(parse_hcfg(text).value()), text);
}

TEST(PrinterTest, SourcesAreATableWithCallersAndAreParsedBack) {
  auto graph = parse_hcfg(in_block("%a: int = const() {value=1} return %x"));
  ASSERT_TRUE(graph);
  const SourceId caller = graph->add_source({"m.py", 3, 1, {}});
  std::get<HostStep>(graph->blocks[0].steps[0]).source = graph->add_source({"n.py", 12, 7, "a\nb"}, caller);
  graph->blocks[0].source = caller;
  PrintOptions options;
  options.sources = true;
  const std::string text = print(*graph, options);
  EXPECT_NE(text.find("  source s1 = \"n.py\":12:7 \"a\\nb\" from s0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("const() {value=1} at s1\n"), std::string::npos) << text;
  const auto again = parse_hcfg(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(print(*again, options), text);
  EXPECT_EQ(again->source_stack(SourceId(1)).size(), 2U);
}

TEST(PrinterTest, ReturnedStructuresAreParsedBack) {
  for (const std::string tree :
       {R"({"logits": %x, "exit": 2, (1, "a"): None})", "(%x)", "(%x,)", "()", "[%x, [True, -0.0, inf], {}]",
        "set()", R"(dataclass "m:Out.In"(x=%x, y=namedtuple "m:P"(a=1.5)))", R"({1, 2})", "([%x], same 1)"}) {
    const std::string text = "hcfg main(%x: f32[n]) -> () {\n  b0:\n    return " + tree + "\n}\n";
    const auto graph = parse_hcfg(text);
    ASSERT_TRUE(graph) << tree << ": " << graph.error().message;
    EXPECT_EQ(print(*graph), text);
    EXPECT_TRUE(verify(*graph)) << tree;
  }
}

TEST(PrinterTest, AttributesOfExceptionsAreParsedBack) {
  const std::string text =
      "hcfg main(%n: int, %p: float) -> () {\n  b0:\n    "
      "raise ValueError \"bad {}\"(%n) with {\"size\": %n, \"share\": (%p, None)}\n}\n";
  const auto graph = parse_hcfg(text);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(print(*graph), text);
  EXPECT_TRUE(verify(*graph));
}

TEST(PrinterTest, FragmentsAreDefinedOnceAndParsedBack) {
  const std::string text = R"(hcfg main(%x: f32[2,4]) -> (y: f32[2,8]) {
  const %w: f32[4,8] = key "w"
  fragment linear(%x: f32[n,4], %w: f32[4,8]) -> (%y) key "k1" {
      const %one: f32[] = hex "0000803f"
      %t: f32[n,8] = MatMul@13(%x, %w)
      %y: f32[n,8] = Add@14(%t, %one)
      aten "{}"
  }
  b0:
    subnet s0 {
      %y: f32[2,8] = fragment linear(%x, %w)
    }
    return %y
}
)";
  const auto weights = std::make_shared<const TensorData>(
      make_tensor(DType::F32, {4, 8}, std::vector<std::byte>(128, std::byte{1})));
  const auto graph = parse_hcfg(text, [&](std::string_view) { return weights; });
  ASSERT_TRUE(graph) << graph.error().message;
  const Status legal = verify(*graph);
  ASSERT_TRUE(legal) << legal.error().message;
  const std::string again = print(*graph);
  EXPECT_EQ(print(parse_hcfg(again, [&](std::string_view) { return weights; }).value()), again);
  Hcfg expanded = *graph;
  const auto& ops = std::get<SubnetStep>(expanded.blocks[0].steps[0]).ops;
  const std::vector<OnnxOp> plain = expand_fragments(expanded, ops, outputs_of(ops[0]));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[1].outputs, outputs_of(ops[0]));
  EXPECT_EQ(expanded.type_of(plain[0].outputs[0]), expanded.type_of(outputs_of(ops[0])[0]));
}

TEST(ParserTest, AFragmentHoldsNoOther) {
  EXPECT_NE(error_of(R"(hcfg main(%x: f32[2]) -> () {
  fragment double(%x: f32[2]) -> (%y) key "a" {
      %y: f32[2] = Add@14(%x, %x)
  }
  fragment outer(%x: f32[2]) -> (%y) key "b" {
      %y: f32[2] = fragment double(%x)
  }
  b0:
    return
})")
                .find("a fragment holds another one"),
            std::string::npos);
}

TEST(PrinterTest, AnIllegalGraphStillPrints) {
  Hcfg graph;
  graph.blocks.resize(1);
  graph.blocks[0].terminator = Jump{{BlockId(9), {ValueId(7), ValueId()}}};
  EXPECT_EQ(print(graph), "hcfg main() -> () {\n  b0:\n    jump b9(%?7, _)\n}\n");
}

}  // namespace
}  // namespace dycl
