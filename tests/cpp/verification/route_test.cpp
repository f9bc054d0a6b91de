// SPDX-License-Identifier: Apache-2.0
#include "verification/route.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl::verification {
namespace {

// b0 decides whether the loop b1 is entered; in it b2 decides between b3 and b4, and b1 whether it ends in
// b5.
Hcfg looping() {
  return parse_hcfg(R"(hcfg main(%p: bool) -> () {
  b0:
    branch %p ? b1() : b5()
  b1:
    branch %p ? b2() : b5()
  b2:
    branch %p ? b3() : b4()
  b3:
    jump b1()
  b4:
    jump b1()
  b5:
    return
}
)")
      .value();
}

EdgeId edge(std::size_t from, std::size_t index) { return {BlockId(from), index}; }

TEST(Route, KeepsToWhatIsDecidedWhileTheGoalCanBeReached) {
  const Hcfg graph = looping();
  Route route(graph, edge(2, 1));
  EXPECT_EQ(route.take(edge(0, 0)), edge(0, 0));
  EXPECT_EQ(route.take(edge(1, 0)), edge(1, 0));
  EXPECT_FALSE(route.has_forced());
  EXPECT_EQ(route.take(edge(2, 0)), edge(2, 1));
  EXPECT_TRUE(route.has_forced());
  EXPECT_TRUE(route.has_arrived());
  EXPECT_EQ(route.take(edge(1, 1)), edge(1, 1)) << "behind the goal decisions count again";
}

TEST(Route, TakesTheShortestWayOnceItHadToForce) {
  const Hcfg graph = looping();
  Route route(graph, edge(4, 0));
  EXPECT_EQ(route.take(edge(0, 1)), edge(0, 0)) << "b5 leads nowhere";
  EXPECT_EQ(route.take(edge(1, 1)), edge(1, 0));
  EXPECT_EQ(route.take(edge(2, 0)), edge(2, 1)) << "b3 leads there too, but not as soon";
  EXPECT_FALSE(route.has_arrived());
  EXPECT_EQ(route.take(edge(4, 0)), edge(4, 0));
  EXPECT_TRUE(route.has_arrived());
}

TEST(Route, ForcesNothingWhereTheRunGoesAnyway) {
  const Hcfg graph = looping();
  Route route(graph, edge(1, 1));
  route.take(edge(0, 0));
  EXPECT_EQ(route.take(edge(1, 1)), edge(1, 1));
  EXPECT_TRUE(route.has_arrived());
  EXPECT_FALSE(route.has_forced());
}

TEST(Route, TellsEdgesApartThatLeadToOneBlock) {
  const Hcfg graph = parse_hcfg(R"(hcfg main(%p: bool) -> () {
  b0:
    branch %p ? b1() : b1()
  b1:
    return
}
)")
                         .value();
  Route route(graph, edge(0, 1));
  EXPECT_EQ(route.take(edge(0, 0)), edge(0, 1));
  EXPECT_TRUE(route.has_forced());
  EXPECT_TRUE(route.has_arrived());
}

}  // namespace
}  // namespace dycl::verification
