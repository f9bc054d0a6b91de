// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/placement.h"

#include <gtest/gtest.h>

namespace dycl::compile_subnets {
namespace {

using Names = std::vector<std::string>;

// One sub-DNN named s0 in block b0, with one operation of model.py:40, called from train.py:7.
struct Example {
  Hcfg graph;
  subnet::SubnetInstance subnet;

  Example() {
    SubnetStep step;
    const SourceId caller = graph.add_source({"train.py", 7, 1, ""});
    step.ops.push_back(
        OnnxOp{"", "Relu", 14, {}, {}, {}, graph.add_source({"nets/model.py", 40, 3, ""}, caller)});
    graph.blocks.push_back({});
    graph.blocks[0].steps.emplace_back(step);
    subnet.name = "s0";
    subnet.block = BlockId(0);
  }

  Names candidates(std::vector<PlacementRule> rules, const std::string& otherwise) const {
    return Placement::make(std::move(rules), otherwise, {"one", "two", "three"})->candidates(graph, subnet);
  }
};

TEST(Placement, TheFirstRuleThatMatchesDecides) {
  const Example example;
  EXPECT_EQ(example.candidates({{"s1", "one"}, {"s?", "two"}, {"*", "three"}}, "four"), Names{"two"});
  EXPECT_EQ(example.candidates({{"b0", "one"}}, "four"), Names{"one"});
  EXPECT_EQ(example.candidates({{"model.py:4*", "one"}}, "four"), Names{"one"});
  EXPECT_EQ(example.candidates({{"other.py:*", "one"}}, "four"), Names{"four"});
}

TEST(Placement, ALineStandsForAllThatItCalls) {
  EXPECT_EQ(Example().candidates({{"train.py:7", "one"}}, "four"), Names{"one"});
  EXPECT_EQ(Example().candidates({{"train.py:8", "one"}}, "four"), Names{"four"});
}

TEST(Placement, AutoOffersAllThatAreKnownOrNamed) {
  const Example example;
  EXPECT_EQ(example.candidates({}, "auto"), (Names{"one", "two", "three"}));
  EXPECT_EQ(example.candidates({}, "auto:three,one"), (Names{"three", "one"}));
  EXPECT_EQ(example.candidates({{"s0", "two"}}, "auto"), Names{"two"});
}

TEST(Placement, OnlyWhatNobodyNamedMayBeMissing) {
  const Placement any = *Placement::make({{"s0", "two"}}, "auto", {"one", "two"});
  EXPECT_TRUE(any.is_optional("one"));
  EXPECT_FALSE(any.is_optional("two"));
  EXPECT_FALSE(Placement::make({}, "auto:one,two", {})->is_optional("one"));
}

TEST(Placement, RefusesARuleWithoutABackend) {
  const auto made = Placement::make({{"s0", ""}}, "one", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "backend.rule");
}

TEST(Placement, Globs) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*c", "abbc"));
  EXPECT_TRUE(matches_glob("s?", "s7"));
  EXPECT_FALSE(matches_glob("s?", "s17"));
  EXPECT_FALSE(matches_glob("", "s"));
}

}  // namespace
}  // namespace dycl::compile_subnets
