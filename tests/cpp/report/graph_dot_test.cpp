// SPDX-License-Identifier: Apache-2.0
#include "report/graph_dot.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl::report {
namespace {

std::string drawn(std::string_view text, const Artifact& artifact = {}) {
  const Result<Hcfg> graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? graph_dot(describe_graph(*graph, artifact)) : "";
}

TEST(GraphDot, ShowsOperationsWithTheLinesOfTheModel) {
  Artifact artifact;
  artifact.plan.subnets = {{"s0", "abc", "onnxruntime", {}}};
  EXPECT_EQ(drawn(R"(hcfg main(%x: f32[2]) -> (y: f32[2]) {
  source s0 = "models/net.py":3:9
  source s1 = "models/net.py":4:12
  source s2 = "models/net.py":5:13
  b0:
    subnet s0 {
      %sum: f32[] = ReduceSum@13(%x) {keepdims=0} at s0
      %high: bool[] = Greater@13(%sum, %sum) at s1
    }
    () = check(%high) {message="no", type="IndexError"} at s0
    %c: bool = item(%high) at s1
    %half: float = const() {value=f64 0.5}
    branch %c ? b1() : b2(%c) at s1
  b1:
    raise ValueError "no \"luck\""() at s2
  b2(%again: bool):
    return %x
}
)",
                  artifact),
            R"(digraph dycl {
  node [shape=box, fontname=monospace];
  b0 [label="block 0\l  sub-DNN s0 on onnxruntime\l    sum: f32[] = ReduceSum(x)         net.py:3\l    high: bool[] = Greater(sum, sum)  net.py:4\l  raise IndexError if high            net.py:3\l  c = item(high)                      net.py:4\l  half = 0.5\l  if c                                net.py:4\l"];
  b1 [label="block 1\l  raise ValueError: no \"luck\"  net.py:5\l"];
  b2 [label="block 2(again)\l  return x\l"];
  b0 -> b1 [label="then"];
  b0 -> b2 [label="else"];
}
)");
}

TEST(GraphDot, CutsLargeSubnets) {
  std::string text = "hcfg main(%x: f32[2]) -> (y: f32[2]) {\n  b0:\n    subnet s0 {\n";
  for (int index = 1; index <= 20; ++index)
    text += "      %v" + std::to_string(index) + ": f32[2] = Relu@14(%" +
            (index == 1 ? "x" : "v" + std::to_string(index - 1)) + ")\n";
  const std::string dot = drawn(text + "    }\n    return %v20\n}\n");
  EXPECT_NE(dot.find("v8: f32[2] = Relu(v7)\\l    … and 12 more\\l  return v20"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("v9:"), std::string::npos) << dot;
}

TEST(GraphDot, NamesTheCasesOfASwitchAndGoesRoundLoops) {
  const std::string dot = drawn(R"(hcfg main(%x: i64[]) -> (y: int) {
  b0:
    %n: int = item(%x)
    jump b1(%n)
  b1(%i: int):
    switch %i [b2(), b1(%n)] else b2()
  b2:
    return %i
}
)");
  EXPECT_NE(dot.find("b0 -> b1;"), std::string::npos) << dot;
  EXPECT_NE(
      dot.find(
          "b1 -> b2 [label=\"case 0\"];\n  b1 -> b1 [label=\"case 1\"];\n  b1 -> b2 [label=\"default\"];"),
      std::string::npos)
      << dot;
}

}  // namespace
}  // namespace dycl::report
