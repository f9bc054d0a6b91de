// SPDX-License-Identifier: Apache-2.0
#include "base/dim.h"

#include <fmt/format.h>

#include <map>

namespace dycl {
namespace {

std::vector<std::pair<SymbolId, std::int64_t>> normalised(const std::map<SymbolId, std::int64_t>& sums) {
  std::vector<std::pair<SymbolId, std::int64_t>> terms;
  for (const auto& [symbol, factor] : sums)
    if (factor != 0) terms.emplace_back(symbol, factor);
  return terms;
}

}  // namespace

std::optional<SymbolId> Dim::as_symbol() const {
  if (constant == 0 && terms.size() == 1 && terms[0].second == 1) return terms[0].first;
  return std::nullopt;
}

Dim operator+(const Dim& left, const Dim& right) {
  std::map<SymbolId, std::int64_t> sums(left.terms.begin(), left.terms.end());
  for (const auto& [symbol, factor] : right.terms) sums[symbol] += factor;
  Dim sum(left.constant + right.constant);
  sum.terms = normalised(sums);
  return sum;
}

Dim operator*(const Dim& dim, std::int64_t factor) {
  Dim product(dim.constant * factor);
  if (factor == 0) return product;
  product.terms = dim.terms;
  for (auto& term : product.terms) term.second *= factor;
  return product;
}

std::optional<std::int64_t> evaluate(const Dim& dim,
                                     const std::function<std::optional<std::int64_t>(SymbolId)>& value_of) {
  std::int64_t total = dim.constant;
  for (const auto& [symbol, factor] : dim.terms) {
    const std::optional<std::int64_t> value = value_of(symbol);
    std::int64_t product = 0;
    if (!value || __builtin_mul_overflow(*value, factor, &product) ||
        __builtin_add_overflow(total, product, &total))
      return std::nullopt;
  }
  return total;
}

std::string to_string(const Dim& dim, const std::function<std::string(SymbolId)>& name_of_symbol) {
  if (dim.is_static()) return std::to_string(dim.constant);
  std::string text;
  for (const auto& [symbol, factor] : dim.terms) {
    if (factor < 0)
      text += "-";
    else if (!text.empty())
      text += "+";
    // Unsigned, so that the smallest int64 has a magnitude too.
    const std::uint64_t magnitude =
        factor < 0 ? -static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    if (magnitude != 1) text += fmt::format("{}*", magnitude);
    text += name_of_symbol(symbol);
  }
  if (dim.constant != 0) text += fmt::format("{:+}", dim.constant);
  return text;
}

}  // namespace dycl
