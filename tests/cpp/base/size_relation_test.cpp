// SPDX-License-Identifier: Apache-2.0
#include "base/size_relation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dycl {
namespace {

class SizeRelationTest : public testing::Test {
 protected:
  SizeExpr fresh(SizeRange range = {}, std::set<std::size_t> origins = {}) {
    return symbols.fresh(range, std::move(origins));
  }

  SizeSymbols symbols;
};

TEST_F(SizeRelationTest, RangesDecideComparisons) {
  struct Row {
    std::string relation;
    std::int64_t number;
    bool answer;
  };
  const SizeExpr n = fresh({2, 8});
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

TEST_F(SizeRelationTest, APathLearnsFromAComparison) {
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
    const SizeExpr n = fresh({0, 20}, {3});
    const SizeValues values = consequence(symbols, relation, n * factor, number, truth);
    ASSERT_EQ(values.size(), 1U) << relation;
    EXPECT_EQ(range_of(values.begin()->second), learnt) << relation;
    EXPECT_EQ(origins_of(values.begin()->second), (std::set<std::size_t>{3}));
  }
}

TEST_F(SizeRelationTest, NothingIsLearntFromAHoleOrFromSeveralSymbols) {
  const SizeExpr n = fresh({0, 20}), m = fresh();
  EXPECT_TRUE(consequence(symbols, "!=", n, 7, true).empty());
  EXPECT_TRUE(consequence(symbols, "<", n, m, true).empty());
  EXPECT_TRUE(consequence(symbols, "<", n, 30, true).empty());
  EXPECT_TRUE(consequence(symbols, "==", n * n, 4, true).empty());
}

TEST_F(SizeRelationTest, AnEquationGivesAwayTheLatestSymbol) {
  const SizeExpr n = fresh(), m = fresh();
  const SizeValues values = consequence(symbols, "==", n * 2 + 1, m - 3, true);
  EXPECT_EQ(values, (SizeValues{{m.as_symbol()->number, n * 2 + 4}}));
  EXPECT_EQ(substituted(m, consequence(symbols, "==", floor_div(m, 2) + n, m, true)),
            m);  // n is what it gives away
  EXPECT_EQ(substituted(m, consequence(symbols, "!=", m, 4, false)), SizeExpr(4));
}

TEST_F(SizeRelationTest, ASizeOfOneNumberIsThatNumber) {
  EXPECT_EQ(fresh({4, 4}), SizeExpr(4));
  EXPECT_NE(fresh(), fresh());
}

TEST_F(SizeRelationTest, LinearSizesAreSeenAsSuch) {
  const SizeExpr n = fresh();
  EXPECT_EQ(linear_in(n * 2 + 1, *n.as_symbol()), std::pair(std::int64_t{2}, std::int64_t{1}));
  EXPECT_EQ(linear_in(n * n, *n.as_symbol()), std::nullopt);
  EXPECT_EQ(linear_in(n + fresh(), *n.as_symbol()), std::nullopt);
}

TEST_F(SizeRelationTest, SymbolsThatAreMadeBesideOthersHaveNumbersOfTheirOwn) {
  const SizeExpr n = fresh(), m = fresh();
  SizeSymbols beside({n, m * 2 + 1});
  const std::size_t number = beside.fresh().as_symbol()->number;
  EXPECT_NE(number, n.as_symbol()->number);
  EXPECT_NE(number, m.as_symbol()->number);
}

TEST_F(SizeRelationTest, SymbolsOfSeveralCompilationsAreToldApart) {
  SizeSymbols others;
  EXPECT_EQ(fresh(), others.fresh());  // as good as one: they know the same
  EXPECT_NE(fresh({2, 8}), others.fresh());
  EXPECT_NE(fresh({}, {3}), others.fresh());
}

TEST_F(SizeRelationTest, ArithmeticOfSizesGivesSizesOrJustNumbers) {
  const SizeExpr n = fresh(), any = fresh({-SizeRange::kLargest, SizeRange::kLargest});
  EXPECT_EQ(computed_size("-", *computed_size("+", n, 3), 3), n);
  EXPECT_EQ(computed_size("*", n, 2), n * 2);
  EXPECT_EQ(computed_size("//", n, 2), floor_div(n, 2));
  EXPECT_EQ(computed_size("%", n, 2), mod(n, 2));
  EXPECT_EQ(computed_size("%", any, 2), std::nullopt);
  EXPECT_EQ(computed_size("//", n, 0), std::nullopt);
  EXPECT_EQ(computed_size("//", n, any), std::nullopt);
  EXPECT_EQ(computed_size("**", n, 2), std::nullopt);
}

TEST_F(SizeRelationTest, APathThatMadeACheckMayKnowItForGood) {
  const SizeExpr n = fresh(), m = fresh();
  EXPECT_TRUE(settles("==", n, m));
  EXPECT_TRUE(settles("<=", n * 2, 9));
  EXPECT_FALSE(settles("!=", n, 7));
  EXPECT_FALSE(settles("<", n, m));
}

TEST_F(SizeRelationTest, AComparisonSplitsPathsWhereBothLearn) {
  const SizeExpr n = fresh(), m = fresh();
  EXPECT_TRUE(splits("<", n, 2));
  EXPECT_FALSE(splits("<", n, m));
  EXPECT_FALSE(splits("==", n, 7));  // the path where it is false knows a hole
}

TEST_F(SizeRelationTest, NothingIsKnownOfWhatIsBeyond64Bits) {
  const SizeExpr n = fresh(), large = n * INT64_MAX;
  EXPECT_EQ(computed_size("*", large, 2), std::nullopt);
  EXPECT_EQ(computed_size("+", INT64_MAX, n + 1), std::nullopt);
  EXPECT_EQ(holds("<", n + INT64_MAX, INT64_MIN), std::nullopt);
  EXPECT_EQ(holds("<", n, INT64_MAX), true);
  EXPECT_TRUE(consequence(symbols, "==", n + INT64_MAX, INT64_MIN, true).empty());
  EXPECT_TRUE(consequence(symbols, "<", n - INT64_MAX, 0, true).empty());  // it always holds
  EXPECT_TRUE(consequence(symbols, ">", n, INT64_MAX, true).empty());      // it never does
  EXPECT_FALSE(settles("==", n + INT64_MAX, INT64_MIN));
}

}  // namespace
}  // namespace dycl
