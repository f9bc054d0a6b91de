// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hcfg/random_graph.h"
#include "hcfg/text.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

TEST(RoundTripTest, ParsingPrintedGraphsGivesTheSameGraphAndTheSameText) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const Hcfg graph = testing_support::random_graph(seed);
    const std::string text = print(graph);
    const auto again = parse_hcfg(text);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message << "\n" << text;
    ASSERT_TRUE(testing_support::same_structure(graph, *again)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(print(*again), text) << "seed " << seed;
  }
}

TEST(RoundTripTest, TheComparisonSeesADifference) {
  const Hcfg graph = testing_support::random_graph(1);
  Hcfg changed = graph;
  changed.blocks[0].terminator = Raise{"Another", "one", {}};
  EXPECT_TRUE(testing_support::same_structure(graph, graph));
  EXPECT_FALSE(testing_support::same_structure(graph, changed));
}

TEST(RoundTripTest, AnyGraphVerifiesOrIsRefusedWithoutACrash) {
  std::size_t refused = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed)
    if (!verify(testing_support::random_graph(seed))) ++refused;
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 1000U);
}

TEST(RoundTripTest, DamagedTextNeverCrashesTheParser) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::string text = print(testing_support::random_graph(seed));
    for (std::size_t at = seed % 7; at < text.size(); at += 7) {
      const char kept = text[at];
      text[at] = static_cast<char>("%()[]{}\"\\,:=_b0\n"[(seed + at) % 16]);
      if (const auto graph = parse_hcfg(text)) {
        EXPECT_EQ(print(parse_hcfg(print(*graph)).value()), print(*graph));
      }
      text[at] = kept;
    }
  }
}

}  // namespace
}  // namespace dycl
