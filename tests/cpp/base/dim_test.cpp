// SPDX-License-Identifier: Apache-2.0
#include "base/dim.h"

#include <gtest/gtest.h>

#include <limits>

namespace dycl {
namespace {

const SymbolId kN(0);
const SymbolId kM(1);

std::string text_of(const Dim& dim) {
  return to_string(dim, [](SymbolId symbol) { return std::string(symbol == kN ? "n" : "m"); });
}

TEST(DimTest, EqualSumsHaveEqualRepresentations) {
  EXPECT_EQ(Dim(kN) + Dim(kM) + Dim(1), Dim(1) + Dim(kM) + Dim(kN));
  EXPECT_EQ(Dim(kN) + Dim(kN) * -1, Dim(0));
}

TEST(DimTest, PrintsAffineExpressions) {
  EXPECT_EQ(text_of(Dim(kN) * 2 + Dim(kM) * -1 + Dim(-3)), "2*n-m-3");
  EXPECT_EQ(text_of(Dim(0)), "0");
}

TEST(DimTest, PrintsTheSmallestCoefficient) {
  EXPECT_EQ(text_of(Dim(kN) * std::numeric_limits<std::int64_t>::min()), "-9223372036854775808*n");
}

TEST(DimTest, EvaluationFailsOnUnboundSymbolsAndOverflow) {
  const auto huge = [](SymbolId) { return std::optional(std::numeric_limits<std::int64_t>::max()); };
  const auto unbound = [](SymbolId) { return std::optional<std::int64_t>(); };
  EXPECT_EQ(evaluate(Dim(kN) * 2, huge), std::nullopt);
  EXPECT_EQ(evaluate(Dim(kN), unbound), std::nullopt);
  EXPECT_EQ(evaluate(Dim(kN) * 2 + Dim(1), [](SymbolId) { return std::optional<std::int64_t>(4); }), 9);
}

}  // namespace
}  // namespace dycl
