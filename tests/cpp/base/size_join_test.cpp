// SPDX-License-Identifier: Apache-2.0
#include "base/size_join.h"

#include <gtest/gtest.h>

namespace dycl {
namespace {

std::size_t number_of(const SizeExpr& symbol) { return symbol.as_symbol()->number; }

TEST(SizeJoinTest, SizesThatDifferAlikeAreOneWherePathsMeet) {
  SizeSymbols symbols;
  const SizeExpr n = symbols.fresh();
  SizeJoins joins(symbols);
  const SizeExpr one = joins.joined({n, n + 1}, 5);
  EXPECT_EQ(joins.joined({n, n + 1}, 5), one);
  EXPECT_EQ(joins.joined({n + 2, n + 3}, 5), one + 2);
  EXPECT_EQ(joins.joined({7, 7}, 5), SizeExpr(7));
  EXPECT_EQ(origins_of(one), (std::set<std::size_t>{5}));
  EXPECT_EQ(joins.made(), (std::set<std::size_t>{number_of(one)}));
  EXPECT_EQ(range_of(joins.joined({2, 4}, 6)).smallest, 2);
}

TEST(SizeJoinTest, AJoinedSizeHasTheOriginsOfItsSides) {
  SizeSymbols symbols;
  const SizeExpr given_up = symbols.fresh({}, {3});
  EXPECT_EQ(origins_of(SizeJoins(symbols).joined({given_up, 4}, std::nullopt)), (std::set<std::size_t>{3}));
}

TEST(SizeJoinTest, SizesThatAreTooFarApartAreNotAlike) {
  SizeSymbols symbols;
  const SizeExpr n = symbols.fresh();
  SizeJoins joins(symbols);
  const SizeExpr one = joins.joined({n + INT64_MAX, n}, 1);
  EXPECT_NE(joins.joined({n - INT64_MAX, n}, 1), one);
}

TEST(SizeJoinTest, SizesAreTheSameButForTheNamesThatMeetingsBound) {
  SizeSymbols symbols;
  const SizeExpr n = symbols.fresh(), left = symbols.fresh(), right = symbols.fresh(), free = symbols.fresh();
  SizeRenaming renaming({number_of(left)}, {number_of(right)});
  EXPECT_TRUE(renaming.same(n, n));
  EXPECT_TRUE(renaming.same(4, 4));
  EXPECT_FALSE(renaming.same(n, 4));
  EXPECT_FALSE(renaming.same(left + 1, right + 1));  // nothing has said yet that they are one
  EXPECT_TRUE(renaming.same(left, right));
  EXPECT_TRUE(renaming.same(left + n, right + n));
  EXPECT_FALSE(renaming.same(left, n));
  EXPECT_FALSE(renaming.same(n, free));  // no meeting bound them
}

TEST(SizeJoinTest, TheFirstMeetingMustHoldForAllThatTheSecondDoes) {
  SizeSymbols symbols;
  const SizeExpr wide = symbols.fresh({0, 20}), narrow = symbols.fresh({2, 8});
  EXPECT_TRUE(SizeRenaming({number_of(wide)}, {number_of(narrow)}).same(wide, narrow));
  EXPECT_FALSE(SizeRenaming({number_of(narrow)}, {number_of(wide)}).same(narrow, wide));
}

}  // namespace
}  // namespace dycl
