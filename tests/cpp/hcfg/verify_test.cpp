// SPDX-License-Identifier: Apache-2.0
#include "hcfg/verify.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl {
namespace {

std::string verdict(const Hcfg& graph) {
  const Status status = verify(graph);
  if (status) return "legal";
  EXPECT_EQ(status.error().blame, Blame::Internal);
  EXPECT_EQ(status.error().code, "hcfg.verify");
  return status.error().message;
}

Hcfg parsed(std::string_view text) {
  auto graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph.value_or(Hcfg{});
}

std::string verdict_of(std::string_view body) {
  return verdict(parsed("hcfg main(%x: f32[n], %y: f32[m], %c: bool[], %i: i64[]) -> (r: f32[q]) {\n" +
                        std::string(body) + "\n}"));
}

TEST(VerifyTest, ControlFlowInASubnetIsRejected) {
  for (const std::string name : {"If", "Loop", "Scan", "SequenceMap", "ai.onnx::Loop"}) {
    const std::string bare = name.substr(name.rfind(':') + 1);
    EXPECT_EQ(verdict_of("b0: subnet s { %z: f32[n] = " + name + "@11(%x) } return %z"),
              "block b0, step 0 (subnet s), " + bare + ": a sub-DNN may not contain " + bare +
                  ": control flow belongs to the graph");
  }
  EXPECT_EQ(verdict_of("b0: subnet s { %z: f32[n] = my.domain::Loop@1(%x) } return %z"), "legal");
}

TEST(VerifyTest, SubnetsWorkOnTensorsOnly) {
  EXPECT_EQ(verdict_of("b0: %k: int = item(%i) subnet s { %z: f32[n] = Add@14(%x, %k) } return %z"),
            "block b0, step 1 (subnet s), Add: %k is int; a sub-DNN works on tensors only");
}

TEST(VerifyTest, RangesAreNotEmptyAndOfSizesThatInputsHave) {
  Hcfg graph = parsed(
      "hcfg main(%x: f32[n], %o: optional<f32[m]>) -> () { range n = 1..8 range m = 0..2 b0: return }");
  EXPECT_EQ(verdict(graph), "legal");
  graph.symbols[0].range = {8, 1};
  EXPECT_EQ(verdict(graph), "the range 8..1 of the symbol n is empty or negative");
  graph.symbols[0].range = {-1, 1};
  EXPECT_EQ(verdict(graph), "the range -1..1 of the symbol n is empty or negative");
  graph.symbols[0].range = {};
  graph.symbols[graph.add_symbol("inner").index()].range = {1, 2};
  EXPECT_EQ(verdict(graph), "the symbol inner has a range, but no input has that size");
}

TEST(VerifyTest, UsesMustBeDominated) {
  EXPECT_EQ(verdict_of("b0: %k: bool = item(%c) branch %k ? b1() : b2()\n"
                       "b1: subnet s { %z: f32[n] = Neg@13(%x) } jump b2()\nb2: return %z"),
            "block b2, terminator: %z is used where its definition has not always run");
  EXPECT_EQ(verdict_of("b0: subnet s { %z: f32[n] = Neg@13(%w) %w: f32[n] = Neg@13(%x) } return %z"),
            "block b0, step 0 (subnet s), Neg: %w is used where its definition has not always run");
}

TEST(VerifyTest, LoopsHaveOneEntry) {
  EXPECT_NE(verdict_of("b0: %k: bool = item(%c) branch %k ? b1() : b2()\nb1: jump b2()\n"
                       "b2: branch %k ? b1() : b3()\nb3: return %x")
                .find("enters a loop that has another entry"),
            std::string::npos);
}

TEST(VerifyTest, EdgeArgumentsFitParameters) {
  const auto edge = [](std::string_view argument, std::string_view type) {
    return verdict_of("b0: subnet s { %s: f32[3] = A@1() %u: f32[*] = A@1() } jump b1(" +
                      std::string(argument) + ")\nb1(%p: " + std::string(type) + "): return %p");
  };
  EXPECT_EQ(edge("%s", "f32[k]"), "legal");
  EXPECT_EQ(edge("%s", "f32[*]"), "legal");
  EXPECT_EQ(edge("%x", "f32[n]"), "legal");
  EXPECT_EQ(edge("%x", "f32[3]"),
            "block b0, terminator: %x of type f32[n] does not fit the parameter %p of b1, of type f32[3]");
  EXPECT_NE(edge("%u", "f32[k]"), "legal");
  EXPECT_NE(edge("%y", "f32[n]"), "legal");
  EXPECT_NE(edge("%x", "f32[n,1]"), "legal");
}

TEST(VerifyTest, AParametersSymbolTakesOneSize) {
  EXPECT_EQ(verdict_of("b0: jump b1(%x, %x)\nb1(%p: f32[k], %q: f32[k]): return %p"), "legal");
  EXPECT_EQ(verdict_of("b0: jump b1(%x, %y)\nb1(%p: f32[k], %q: f32[k]): return %p"),
            "block b0, terminator: %y of type f32[m] does not fit the parameter %q of b1, of type f32[k]");
  EXPECT_NE(verdict_of("b0: jump b1(%x, %x)\nb1(%p: f32[k], %q: f32[2*k]): return %p"), "legal");
}

TEST(VerifyTest, SymbolsAreBoundBeforeUse) {
  EXPECT_EQ(verdict_of("b0: subnet s { %z: f32[2*k] = A@1() } return %z"),
            "block b0, step 0 (subnet s), A: the type f32[2*k] of %z uses the symbol k where it has no size");
  EXPECT_NE(verdict_of("b0: %t: bool = item(%c) branch %t ? b1() : b2()\n"
                       "b1: subnet s { %z: f32[k] = A@1() } return %z\n"
                       "b2: subnet s { %w: f32[k] = A@1() } return %w"),
            "legal");
}

TEST(VerifyTest, TerminatorsAreTyped) {
  EXPECT_EQ(verdict_of("b0: %k: int = item(%i) branch %k ? b1() : b1()\nb1: return %x"),
            "block b0, terminator: the condition %k is int, not bool");
  EXPECT_EQ(verdict_of("b0: %k: bool = item(%c) switch %k [b1()] else b1()\nb1: return %x"),
            "block b0, terminator: the index %k is bool, not int");
  EXPECT_EQ(verdict_of("b0: return"),
            "block b0, terminator: 0 values are returned, the graph declares 1 outputs");
  EXPECT_EQ(verdict_of("b0: return %i"), "block b0, terminator: %i is i64[], output 'r' is declared f32[q]");
  EXPECT_EQ(verdict_of("b0: raise ValueError \"{}\"()"),
            "block b0, terminator: the message has 1 places for 0 scalars");
  EXPECT_EQ(verdict_of("b0: raise ValueError \"{}\"(%x)"),
            "block b0, terminator: a raise shows scalars only, %x is f32[n]");
}

TEST(VerifyTest, HostOperationsAreTyped) {
  const auto host = [](std::string_view step) {
    return verdict_of("b0: " + std::string(step) + " return %x");
  };
  EXPECT_EQ(host("%k: bool = item(%c)"), "legal");
  EXPECT_EQ(host("%k: bool = item(%c, %c)"),
            "block b0, step 0 (item): it has 2 inputs; it takes (bool[], bool[])");
  EXPECT_NE(host("%k: f32[] = item(%x)"), "legal");
  EXPECT_NE(host("%v: f32[2,2] = view(%x) {dims=[-1]}"), "legal");
  EXPECT_NE(host("%v: f32[*] = view(%x) {dims=[-1,-1]}"), "legal");
  EXPECT_NE(host("%s: seq<f32[3]> = seq_of(%x)"), "legal");
  EXPECT_EQ(host("%s: seq<f32[*]> = seq_of(%x, %y)"), "legal");
  EXPECT_NE(host("%k: int = const() {value=f64 1.0}"), "legal");
  EXPECT_NE(host("%k: int = dim(%x) {axis=1}"), "legal");
  EXPECT_NE(host("%k: int = dim(%x) {axis=0, other=1}"), "legal");
  EXPECT_NE(host("%t: i64[1] = to_tensor(%i) {dtype=\"i64\", dims=[1]}"), "legal");
}

TEST(VerifyTest, IdsMustBeInRange) {
  Hcfg graph;
  EXPECT_EQ(verdict(graph), "the graph has no block");
  graph.add_block();
  EXPECT_EQ(verdict(graph), "legal");
  graph.blocks[0].terminator = Jump{{BlockId(5), {}}};
  EXPECT_EQ(verdict(graph), "block b0, terminator: an edge leads to a block that is not in the graph");
  graph.blocks[0].terminator = Branch{};
  EXPECT_EQ(verdict(graph), "block b0, terminator: a used value's id is not in the graph");
  graph.blocks[0].terminator = Return{};
  const ValueId value = graph.add_value(TensorType{DType::F32, std::vector{Dim(SymbolId(3))}, {}}, "v");
  EXPECT_EQ(verdict(graph), "the type of %v: a size names a symbol that is not in the graph");
  graph.values[value.index()].type = SeqType{};
  EXPECT_EQ(verdict(graph), "the type of %v: a container has no element type");
}

TEST(VerifyTest, AValueHasOneDefinitionAndAnEdgeTheRightCount) {
  Hcfg graph = parsed("hcfg main(%x: f32[n]) -> () { b0: jump b1(%x)\nb1(%p: f32[k]): return }");
  Hcfg twice = graph;
  twice.blocks[1].parameters[0] = twice.inputs[0].value;
  EXPECT_EQ(verdict(twice), "block b1: %x is defined twice");
  graph.blocks[1].parameters.clear();
  EXPECT_EQ(verdict(graph), "block b0, terminator: the edge to b1 gives 1 arguments, the block takes 0");
}

TEST(VerifyTest, AConstantHoldsItsType) {
  Hcfg graph;
  graph.add_block();
  graph.add_constant(make_tensor(DType::U8, {2}, std::vector<std::byte>(2)), "c");
  EXPECT_EQ(verdict(graph), "legal");
  graph.values[0].type = TensorType{DType::U8, std::vector<Dim>{Dim(3)}, {}};
  EXPECT_EQ(verdict(graph), "the constant %c does not hold a u8[3]");
}

TEST(VerifyTest, AChainOfThousandsOfBranchesVerifies) {
  constexpr int kLength = 4000;
  std::string text =
      "hcfg main(%x: f32[n], %c: bool[]) -> (r: f32[n]) {\nb0: %k: bool = item(%c) jump b1(%x)\n";
  for (int index = 0; index < kLength; ++index) {
    const int block = 3 * index + 1;
    const auto name = [&](int offset) { return "b" + std::to_string(block + offset); };
    const std::string value = "%v" + std::to_string(index);
    text += name(0) + "(" + value + ": f32[n]): branch %k ? " + name(1) + "() : " + name(2) + "()\n";
    text += name(1) + ": subnet s { " + value + "n: f32[n] = Neg@13(" + value + ") } jump " + name(3) + "(" +
            value + "n)\n";
    text += name(2) + ": jump " + name(3) + "(" + value + ")\n";
  }
  text += "b" + std::to_string(3 * kLength + 1) + "(%last: f32[n]): return %last }";
  EXPECT_EQ(verdict(parsed(text)), "legal");
}

TEST(VerifyTest, TheEntryHasNoParameters) {
  Hcfg graph = parsed("hcfg main() -> () { b0: return }");
  graph.blocks[0].parameters.push_back(graph.add_value(ScalarType{}, "p"));
  EXPECT_EQ(verdict(graph), "the entry block b0 has parameters");
}

}  // namespace
}  // namespace dycl
