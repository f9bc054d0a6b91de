// SPDX-License-Identifier: Apache-2.0
// Sizes as text.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "base/result.h"
#include "base/size_expr.h"

namespace dycl {
namespace {

constexpr std::array<std::pair<SizeFunction, std::string_view>, 4> kFunctionNames{
    {{SizeFunction::FloorDiv, "floordiv"},
     {SizeFunction::Mod, "mod"},
     {SizeFunction::Max, "max"},
     {SizeFunction::Min, "min"}}};
constexpr int kDeepestNesting = 64;  // nested functions

std::string factor_text(const SizeFactor& factor) {
  if (factor.symbol) return fmt::format("s{}", factor.symbol->number);
  std::string arguments;
  for (const SizeExpr& argument : factor.operation->arguments)
    arguments += (arguments.empty() ? "" : ",") + to_string(argument);
  for (const auto& [function, name] : kFunctionNames)
    if (function == factor.operation->function) return fmt::format("{}({})", name, arguments);
  internal_error("a function of sizes has no name");
}

std::string term_text(const SizeTerm& term) {
  std::string text = term.coefficient == -1 ? "-" : fmt::format("{}*", term.coefficient);
  if (term.coefficient == 1) text.clear();
  for (const SizeFactor& factor : term.factors)
    text += (&factor == &term.factors.front() ? "" : "*") + factor_text(factor);
  return text;
}

// sum = [-] product {(+|-) product}; product = atom {* atom}; atom = number | s number | name ( sum {, sum} )
class SizeTextReader {
 public:
  using SymbolOf = std::function<SizeSymbolPtr(std::size_t)>;
  SizeTextReader(std::string_view text, const SymbolOf& symbol_of) : text_(text), symbol_of_(symbol_of) {}

  std::optional<SizeExpr> whole() {
    auto read = sum(0);
    return read && text_.empty() ? read : std::nullopt;
  }

 private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::size_t> number() {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value > static_cast<std::size_t>(INT64_MAX)) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::optional<SizeExpr> sum(int depth) {
    SizeExpr total;
    bool is_negative = take("-");
    for (;;) {
      const auto next = product(depth);
      if (!next) return std::nullopt;
      total = is_negative ? total - *next : total + *next;
      is_negative = take("-");
      if (!is_negative && !take("+")) return total;
    }
  }

  std::optional<SizeExpr> product(int depth) {
    SizeExpr whole(1);
    do {
      const auto next = atom(depth);
      if (!next) return std::nullopt;
      whole = whole * *next;
    } while (take("*"));
    return whole;
  }

  std::optional<SizeExpr> atom(int depth) {
    for (const auto& [function, name] : kFunctionNames)
      if (take(name)) return call(function, depth + 1);
    const bool is_symbol = take("s");
    const auto value = number();
    if (!value) return std::nullopt;
    if (!is_symbol) return SizeExpr(static_cast<std::int64_t>(*value));
    const SizeSymbolPtr symbol = symbol_of_(*value);
    return symbol ? std::optional(SizeExpr(symbol)) : std::nullopt;
  }

  std::optional<SizeExpr> call(SizeFunction function, int depth) {
    if (depth > kDeepestNesting || !take("(")) return std::nullopt;
    std::vector<SizeExpr> arguments;
    do {
      auto argument = sum(depth);
      if (!argument) return std::nullopt;
      arguments.push_back(std::move(*argument));
    } while (take(","));
    if (!take(")") || arguments.size() < 2) return std::nullopt;
    const bool divides = function == SizeFunction::FloorDiv || function == SizeFunction::Mod;
    if (divides && arguments.size() > 2) return std::nullopt;
    return applied(function, arguments);
  }

  std::string_view text_;
  const SymbolOf& symbol_of_;
};

}  // namespace

std::string to_string(const SizeExpr& expr) {
  std::string text;
  for (const SizeTerm& term : expr.terms()) {
    const std::string next = term_text(term);
    text += (text.empty() || next.starts_with('-') ? "" : "+") + next;
  }
  if (text.empty()) return std::to_string(expr.constant());
  return expr.constant() == 0 ? text : text + fmt::format("{:+}", expr.constant());
}

std::optional<SizeExpr> parse_size(std::string_view text,
                                   const std::function<SizeSymbolPtr(std::size_t number)>& symbol_of) {
  try {
    return SizeTextReader(text, symbol_of).whole();
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

}  // namespace dycl
