// SPDX-License-Identifier: Apache-2.0
// The ranges of sizes, by interval arithmetic.
#include <algorithm>
#include <array>

#include "base/size_expr.h"

namespace dycl {
namespace {

using Wide = __int128;
constexpr Wide kInfinite = Wide{1} << 100;  // products of two finite bounds fit in 128 bits or are infinite

bool is_infinite(Wide number) { return number <= -kInfinite || number >= kInfinite; }

Wide limited(Wide number) { return std::clamp(number, -kInfinite, kInfinite); }

Wide sum_of_bounds(Wide left, Wide right) {
  if (is_infinite(left)) return left;
  return is_infinite(right) ? right : limited(left + right);
}

Wide product_of_bounds(Wide left, Wide right) {
  if (left == 0 || right == 0) return 0;
  const bool is_negative = (left < 0) != (right < 0);
  const Wide magnitude = left < 0 ? -left : left, other = right < 0 ? -right : right;
  const bool is_large = magnitude >= kInfinite / other;
  return is_large ? (is_negative ? -kInfinite : kInfinite) : left * right;
}

Wide quotient_of_bounds(Wide base, Wide divisor) {
  if (is_infinite(base)) return divisor < 0 ? -base : base;
  const Wide result = base / divisor;
  return base % divisor != 0 && (base < 0) != (divisor < 0) ? result - 1 : result;
}

struct Interval {
  Wide lower = -kInfinite, upper = kInfinite;
};

Interval of_number(Wide number) { return {number, number}; }

template <class Operation>
Interval of_corners(const Interval& left, const Interval& right, const Operation& operation) {
  const std::array<Wide, 4> corners{operation(left.lower, right.lower), operation(left.lower, right.upper),
                                    operation(left.upper, right.lower), operation(left.upper, right.upper)};
  const auto [least, most] = std::ranges::minmax(corners);
  return {least, most};
}

Interval of_quotient(const Interval& base, const Interval& divisor) {
  if (divisor.lower <= 0 && divisor.upper >= 0) return {};
  return of_corners(base, divisor, quotient_of_bounds);
}

Interval of_remainder(const Interval& base, const Interval& divisor) {
  if (divisor.lower <= 0) return {};
  const bool is_number = divisor.lower == divisor.upper;
  const Wide first = quotient_of_bounds(base.lower, divisor.lower);
  if (is_number && !is_infinite(base.lower) && first == quotient_of_bounds(base.upper, divisor.lower))
    return {base.lower - first * divisor.lower, base.upper - first * divisor.lower};
  const Wide most = divisor.upper - 1;
  return {0, base.lower >= 0 ? std::min(most, base.upper) : most};
}

Interval interval_of(const SizeExpr& expr);

Interval interval_of(const SizeOperation& operation) {
  Interval found = interval_of(operation.arguments[0]);
  for (std::size_t index = 1; index < operation.arguments.size(); ++index) {
    const Interval next = interval_of(operation.arguments[index]);
    switch (operation.function) {
      case SizeFunction::FloorDiv: return of_quotient(found, next);
      case SizeFunction::Mod: return of_remainder(found, next);
      case SizeFunction::Max:
        found = {std::max(found.lower, next.lower), std::max(found.upper, next.upper)};
        break;
      case SizeFunction::Min:
        found = {std::min(found.lower, next.lower), std::min(found.upper, next.upper)};
        break;
    }
  }
  return found;
}

Interval interval_of(const SizeFactor& factor) {
  if (factor.symbol) return {factor.symbol->range.smallest, factor.symbol->range.largest};
  return interval_of(*factor.operation);
}

// A power of an even degree is not negative.
Interval power_of(const Interval& base, std::size_t degree) {
  Interval whole = of_number(1);
  for (std::size_t count = 0; count < degree; ++count) whole = of_corners(whole, base, product_of_bounds);
  const bool crosses = base.lower < 0 && base.upper > 0;
  if (degree % 2 == 0 && crosses) whole.lower = 0;
  return whole;
}

Interval interval_of(const SizeTerm& term) {
  Interval whole = of_number(term.coefficient);
  for (auto factor = term.factors.begin(); factor != term.factors.end();) {
    const auto next = std::find_if(factor, term.factors.end(),
                                   [&](const SizeFactor& other) { return !(other == *factor); });
    const auto degree = static_cast<std::size_t>(next - factor);
    whole = of_corners(whole, power_of(interval_of(*factor), degree), product_of_bounds);
    factor = next;
  }
  return whole;
}

Interval interval_of(const SizeExpr& expr) {
  Interval total = of_number(expr.constant());
  for (const SizeTerm& term : expr.terms()) {
    const Interval next = interval_of(term);
    total = {sum_of_bounds(total.lower, next.lower), sum_of_bounds(total.upper, next.upper)};
  }
  return total;
}

std::int64_t within_limits(Wide number) {
  return static_cast<std::int64_t>(std::clamp(number, Wide{-SizeRange::kLargest}, Wide{SizeRange::kLargest}));
}

}  // namespace

SizeRange range_of(const SizeExpr& expr) {
  const Interval found = interval_of(expr);
  return {within_limits(found.lower), within_limits(found.upper)};
}

}  // namespace dycl
