// SPDX-License-Identifier: Apache-2.0
#include "base/size_expr.h"

#include <gtest/gtest.h>

#include <random>

namespace dycl {
namespace {

SizeSymbolPtr symbol_with(std::size_t number, std::int64_t smallest = 0,
                          std::int64_t largest = SizeRange::kLargest) {
  return std::make_shared<const SizeSymbol>(SizeSymbol{number, {smallest, largest}, {}});
}

const SizeExpr kRows(symbol_with(1));
const SizeExpr kColumns(symbol_with(2));
const SizeExpr kInteger(symbol_with(3, -SizeRange::kLargest));

struct WrittenSize {
  SizeExpr expr;
  std::string text;
};

TEST(SizeExprTest, EqualSizesHaveOneText) {
  const std::vector<WrittenSize> table = {
      {kRows + 3 - 3, "s1"},
      {kRows - kRows, "0"},
      {(kRows + 1) * 2, "2*s1+2"},
      {(kRows + kColumns) * (kRows - kColumns), "s1*s1-s2*s2"},
      {-kRows + 1, "-s1+1"},
      {floor_div(kRows * 2, 2), "s1"},
      {floor_div(kRows * 2 + 5, 2), "s1+2"},
      {floor_div(kRows * 4 + 2, 6), "floordiv(2*s1+1,3)"},
      {floor_div(floor_div(kRows, 2), 3), "floordiv(s1,6)"},
      {floor_div(kRows * kColumns, kColumns), "s1"},
      {floor_div(kRows * kColumns * 4 + kColumns * 2, kColumns * 2), "2*s1+1"},
      {floor_div(kRows, kColumns), "floordiv(s1,s2)"},
      {floor_div(-7, 2), "-4"},
      {mod(kRows * 4 + 1, 4), "1"},
      {mod(kRows * 3, 4), "mod(3*s1,4)"},
      {mod(-1, 4), "3"},
      {max_of({kRows, 0}), "s1"},
      {max_of({kRows, 1}), "max(1,s1)"},
      {max_of({kRows, kRows + 1}), "s1+1"},
      {min_of({kRows, kRows + 1, kColumns}), "min(s1,s2)"},
      {max_of({max_of({kRows, kColumns}), kRows, 2}), "max(2,s1,s2)"},
      {min_of({kInteger, kInteger}), "s3"},
  };
  for (const auto& [expr, text] : table) EXPECT_EQ(to_string(expr), text);
}

TEST(SizeExprTest, ATextReadsBackAsTheSameSize) {
  const auto symbol_of = [](std::size_t number) {
    return number == 1 ? kRows.as_symbol() : number == 2 ? kColumns.as_symbol() : nullptr;
  };
  for (const SizeExpr& expr : {kRows, kRows * kColumns * -3 + 4, floor_div(kRows + 1, kColumns),
                               mod(kRows * kRows, 7) - max_of({kRows, kColumns * 2 + 1})})
    EXPECT_EQ(parse_size(to_string(expr), symbol_of), expr);
  for (const char* text : {"", "s9", "s1+", "max(s1)", "floordiv(s1,2,3)", "mod(s1", "9223372036854775807+1",
                           "99999999999999999999", "s1 "})
    EXPECT_EQ(parse_size(text, symbol_of), std::nullopt) << text;
}

TEST(SizeExprTest, RangesFollowFromThoseOfSymbols) {
  const SizeExpr small(symbol_with(4, 2, 8)), signs(symbol_with(5, -3, 4));
  const auto range = [](const SizeExpr& expr) {
    const SizeRange found = range_of(expr);
    return std::pair(found.smallest, found.largest);
  };
  EXPECT_EQ(range(small * 3 - 1), std::pair(5L, 23L));
  EXPECT_EQ(range(small * signs), std::pair(-24L, 32L));
  EXPECT_EQ(range(signs * signs), std::pair(0L, 16L));
  EXPECT_EQ(range(floor_div(small, 3)), std::pair(0L, 2L));
  EXPECT_EQ(range(mod(small + 4, 16)), std::pair(6L, 12L));
  EXPECT_EQ(range(mod(signs, 16)), std::pair(0L, 15L));
  EXPECT_EQ(range(max_of({signs, small - 1})), std::pair(1L, 7L));
  EXPECT_EQ(range(kRows - kColumns), std::pair(-SizeRange::kLargest, SizeRange::kLargest));
  EXPECT_EQ(range(kRows * kColumns - kInteger * kInteger * kInteger),
            std::pair(-SizeRange::kLargest, SizeRange::kLargest));
}

TEST(SizeExprTest, SubstitutingSimplifiesAgain) {
  const SizeExpr whole = max_of({kRows, kColumns}) + floor_div(kRows * kColumns, kColumns + 1);
  EXPECT_EQ(substituted(whole, {{2, kRows + 1}}), kRows + 1 + floor_div(kRows * kRows + kRows, kRows + 2));
  EXPECT_EQ(substituted(whole, {{1, 6}, {2, 2}}), SizeExpr(10));
  EXPECT_EQ(substituted(kRows * kColumns, {{1, kColumns}, {2, kRows}}), kRows * kColumns);  // both at once
}

TEST(SizeExprTest, WhatHasNoValueIsNotEvaluated) {
  EXPECT_EQ(evaluate(floor_div(kRows, kColumns), {{1, 4}, {2, 0}}), std::nullopt);
  EXPECT_EQ(evaluate(mod(kRows, kColumns), {{1, 4}, {2, -2}}), std::nullopt);
  EXPECT_EQ(evaluate(kRows, {}), std::nullopt);
  EXPECT_EQ(evaluate(kRows * kRows, {{1, INT64_MAX}}), std::nullopt);
  EXPECT_THROW(kRows * INT64_MAX * 2, std::overflow_error);
}

TEST(SizeExprTest, TheSmallestNumberIsANumberLikeOthers) {
  EXPECT_EQ(mod(INT64_MIN, 3), SizeExpr(1));
  EXPECT_EQ(evaluate(mod(kInteger, 3), {{3, INT64_MIN}}), 1);
  EXPECT_EQ(floor_div(kRows * INT64_MIN + 2, 4), kRows * (INT64_MIN / 4));
  EXPECT_EQ(to_string(floor_div(kRows * 3 + INT64_MIN, 6)), "floordiv(3*s1-9223372036854775808,6)");
  EXPECT_THROW(-SizeExpr(INT64_MIN), std::overflow_error);
}

TEST(SizeExprTest, AnExpressionIsMadeOfItsParts) {
  struct Row {
    SizeExpr expr;
    std::string operation;
    std::vector<SizeExpr> operands;
  };
  const std::vector<Row> table = {
      {SizeExpr(4), "", {}},
      {kRows, "", {}},
      {kRows * 2 + kColumns + 3, "+", {3, kRows * 2, kColumns}},
      {kRows - 1, "+", {-1, kRows}},
      {kRows * kRows * -2, "*", {-2, kRows, kRows}},
      {kRows * kColumns, "*", {kRows, kColumns}},
      {floor_div(kRows + 1, 2), "//", {kRows + 1, 2}},
      {mod(kRows, kColumns), "%", {kRows, kColumns}},
      {max_of({kRows, kColumns, 2}), "max", {2, kRows, kColumns}},
      {min_of({kRows, kColumns}), "min", {kRows, kColumns}},
  };
  for (const auto& [expr, operation, operands] : table) {
    const SizeParts parts = parts_of(expr);
    EXPECT_EQ(parts.operation, operation) << to_string(expr);
    EXPECT_EQ(parts.operands, operands) << to_string(expr);
  }
}

TEST(SizeExprTest, EqualSizesHaveOneHash) {
  EXPECT_EQ(hash_of(kRows * 2 + 2), hash_of((kRows + 1) * 2));
  EXPECT_EQ(hash_of(floor_div(floor_div(kRows, 2), 3)), hash_of(floor_div(kRows, 6)));
  EXPECT_NE(hash_of(kRows), hash_of(kColumns));
  EXPECT_NE(hash_of(max_of({kRows, kColumns})), hash_of(min_of({kRows, kColumns})));
}

TEST(SizeExprTest, OriginsAreThoseOfAllSymbols) {
  const SizeExpr given(std::make_shared<const SizeSymbol>(SizeSymbol{6, {}, {3, 5}}));
  EXPECT_EQ(origins_of(max_of({kRows, given * 2 - 9})), (std::set<std::size_t>{3, 5}));
  EXPECT_TRUE(origins_of(kRows).empty());
}

// A random expression beside the function that computes it directly.
struct RandomSizes {
  std::mt19937 engine;

  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine); }

  // Its value under `numbers`, by the numbers of symbols 1 and 2; nullopt: it has none.
  using Value = std::function<std::optional<std::int64_t>(const std::map<std::size_t, std::int64_t>&)>;
  struct Both {
    SizeExpr expr;
    Value value;
  };

  Both leaf() {
    if (below(3) == 0) {
      const std::int64_t number = below(9) - 4;
      return {SizeExpr(number), [number](const auto&) { return number; }};
    }
    const std::size_t number = 1 + static_cast<std::size_t>(below(2));
    return {number == 1 ? kRows : kColumns, [number](const auto& values) { return values.at(number); }};
  }

  static std::optional<std::int64_t> computed(int kind, std::int64_t left, std::int64_t right) {
    const auto floored = [&] {
      return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
    };
    switch (kind) {
      case 0: return left + right;
      case 1: return left - right;
      case 2: return left * right;
      case 3: return right == 0 ? std::nullopt : std::optional(floored());
      case 4: return right <= 0 ? std::nullopt : std::optional(left - floored() * right);
      case 5: return std::max(left, right);
      default: return std::min(left, right);
    }
  }

  static SizeExpr expression(int kind, const SizeExpr& left, const SizeExpr& right) {
    switch (kind) {
      case 0: return left + right;
      case 1: return left - right;
      case 2: return left * right;
      case 3: return floor_div(left, right);
      case 4: return mod(left, right);
      case 5: return max_of({left, right});
      default: return min_of({left, right});
    }
  }

  Both made(int depth) {
    if (depth == 0) return leaf();
    const int kind = below(7);
    const Both left = made(depth - 1), right = made(depth - 1);
    return {expression(kind, left.expr, right.expr), [=](const auto& values) -> std::optional<std::int64_t> {
              const auto one = left.value(values), other = right.value(values);
              return one && other ? computed(kind, *one, *other) : std::nullopt;
            }};
  }
};

TEST(SizeExprTest, RandomExpressionsHaveTheValuesOfWhatTheyAreMadeOf) {
  RandomSizes random{std::mt19937(7)};
  for (int trial = 0; trial < 5000; ++trial) {
    const auto [expr, value] = random.made(1 + random.below(3));
    const SizeRange range = range_of(expr);
    const auto reread = parse_size(to_string(expr), [](std::size_t number) {
      return number == 1 ? kRows.as_symbol() : kColumns.as_symbol();
    });
    EXPECT_EQ(reread, expr) << to_string(expr);
    for (int point = 0; point < 4; ++point) {
      const std::map<std::size_t, std::int64_t> numbers{{1, random.below(12)}, {2, random.below(12)}};
      const auto wanted = value(numbers);
      if (!wanted) continue;  // simplifying may give a value where a part has none
      EXPECT_EQ(evaluate(expr, numbers), wanted) << to_string(expr);
      EXPECT_EQ(substituted(expr, {{1, numbers.at(1)}, {2, numbers.at(2)}}), SizeExpr(*wanted));
      EXPECT_TRUE(range.smallest <= *wanted && *wanted <= range.largest) << to_string(expr);
    }
  }
}

}  // namespace
}  // namespace dycl
