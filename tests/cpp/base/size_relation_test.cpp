// SPDX-License-Identifier: Apache-2.0
#include "base/size_relation.h"

#include <gtest/gtest.h>

#include <string>

namespace dycl {
namespace {

TEST(SizeRelationTest, RangesDecideComparisons) {
  struct Row {
    std::string relation;
    std::int64_t number;
    bool answer;
  };
  const SizeExpr n = fresh_size({2, 8});
  for (const auto& [relation, number, answer] : std::vector<Row>{{"<", 9, true},
                                                                 {"<=", 8, true},
                                                                 {">", 1, true},
                                                                 {">=", 2, true},
                                                                 {"==", 1, false},
                                                                 {"!=", 9, true}}) {
    EXPECT_EQ(holds(relation, n, number), answer) << relation;
    EXPECT_EQ(holds(relation, n, 5), std::nullopt) << relation;
  }
  EXPECT_EQ(holds("==", n + 1, n + 1), true);
}

TEST(SizeRelationTest, APathLearnsFromAComparison) {
  struct Row {
    std::string relation;
    std::int64_t factor, number;
    bool truth;
    SizeRange learnt;
  };
  const std::vector<Row> table = {
      {"<", 1, 5, true, {0, 4}},    {"<", 1, 5, false, {5, 20}},  {">=", 1, 3, true, {3, 20}},
      {"<=", 2, 9, true, {0, 4}},   {">", 2, 9, true, {5, 20}},   {"!=", 1, 0, true, {1, 20}},
      {"!=", 1, 20, true, {0, 19}}, {"==", 1, 0, false, {1, 20}}, {"<", -1, -5, true, {6, 20}}};
  for (const auto& [relation, factor, number, truth, learnt] : table) {
    const SizeExpr n = fresh_size({0, 20}, {3});
    const SizeValues values = consequence(relation, n * factor, number, truth);
    ASSERT_EQ(values.size(), 1U) << relation;
    EXPECT_EQ(range_of(values.begin()->second), learnt) << relation;
    EXPECT_EQ(origins_of(values.begin()->second), (std::set<std::size_t>{3}));
  }
}

TEST(SizeRelationTest, NothingIsLearntFromAHoleOrFromSeveralSymbols) {
  const SizeExpr n = fresh_size({0, 20}), m = fresh_size();
  EXPECT_TRUE(consequence("!=", n, 7, true).empty());
  EXPECT_TRUE(consequence("<", n, m, true).empty());
  EXPECT_TRUE(consequence("<", n, 30, true).empty());
  EXPECT_TRUE(consequence("==", n * n, 4, true).empty());
}

TEST(SizeRelationTest, AnEquationGivesAwayTheLatestSymbol) {
  const SizeExpr n = fresh_size(), m = fresh_size();
  const SizeValues values = consequence("==", n * 2 + 1, m - 3, true);
  EXPECT_EQ(values, (SizeValues{{m.as_symbol()->number, n * 2 + 4}}));
  EXPECT_EQ(substituted(m, consequence("==", floor_div(m, 2) + n, m, true)), m);  // n is what it gives away
  EXPECT_EQ(substituted(m, consequence("!=", m, 4, false)), SizeExpr(4));
}

TEST(SizeRelationTest, ASizeOfOneNumberIsThatNumber) {
  EXPECT_EQ(fresh_size({4, 4}), SizeExpr(4));
  EXPECT_NE(fresh_size(), fresh_size());
}

TEST(SizeRelationTest, LinearSizesAreSeenAsSuch) {
  const SizeExpr n = fresh_size();
  EXPECT_EQ(linear_in(n * 2 + 1, *n.as_symbol()), std::pair(std::int64_t{2}, std::int64_t{1}));
  EXPECT_EQ(linear_in(n * n, *n.as_symbol()), std::nullopt);
  EXPECT_EQ(linear_in(n + fresh_size(), *n.as_symbol()), std::nullopt);
}

}  // namespace
}  // namespace dycl
