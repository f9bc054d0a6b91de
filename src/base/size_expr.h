// SPDX-License-Identifier: Apache-2.0
// A size that is known at run time only: an expression over symbols, each of which has the range that it may
// lie in. It says what a path knows of a size; a Dim is what the types of a graph say, which is affine, in
// symbols of that graph, and solved for them at every call. Expressions are canonical: equal ones have one
// representation, as far as expanding, collecting terms and the ranges tell. Arithmetic beyond 64 bits throws
// std::overflow_error.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dycl {

struct SizeRange {
  static constexpr std::int64_t kLargest = (std::int64_t{1} << 62) - 1;  // stands for no limit

  std::int64_t smallest = 0;
  std::int64_t largest = kLargest;

  auto operator<=>(const SizeRange&) const = default;
};

// A symbol has the number that whoever made it gave it (base/size_symbols.h): one of its own among all that
// may meet in an expression. What several compilations made may be kept side by side, so that symbols are
// equal only if all of this is.
struct SizeSymbol {
  std::size_t number = 0;
  SizeRange range = {};
  std::set<std::size_t> origins = {};  // the meetings of paths that gave the size up

  auto operator<=>(const SizeSymbol&) const = default;
};
using SizeSymbolPtr = std::shared_ptr<const SizeSymbol>;

enum class SizeFunction : std::uint8_t { FloorDiv, Mod, Max, Min };

class SizeExpr;
struct SizeOperation;
using SizeOperationPtr = std::shared_ptr<const SizeOperation>;

// One factor of a product: a symbol, or a quotient, remainder, maximum or minimum.
struct SizeFactor {
  SizeSymbolPtr symbol;        // null: an operation
  SizeOperationPtr operation;  // null: a symbol
};
std::strong_ordering operator<=>(const SizeFactor& left, const SizeFactor& right);
inline bool operator==(const SizeFactor& left, const SizeFactor& right) { return (left <=> right) == 0; }

struct SizeTerm {
  std::int64_t coefficient = 1;     // not 0
  std::vector<SizeFactor> factors;  // sorted; a power is a repetition; not empty
};

class SizeExpr {
 public:
  SizeExpr(std::int64_t number = 0) : constant_(number) {}  // NOLINT(google-explicit-constructor)
  explicit SizeExpr(SizeSymbolPtr symbol);

  [[nodiscard]] bool is_known() const { return terms_.empty(); }  // an integer
  [[nodiscard]] std::int64_t constant() const { return constant_; }
  [[nodiscard]] const std::vector<SizeTerm>& terms() const { return terms_; }
  [[nodiscard]] SizeSymbolPtr as_symbol() const;  // null: it is more, or less, than one symbol

  // The order is one of texts, not of values.
  friend std::strong_ordering operator<=>(const SizeExpr& left, const SizeExpr& right);
  friend bool operator==(const SizeExpr& left, const SizeExpr& right) { return (left <=> right) == 0; }

  friend SizeExpr operator+(const SizeExpr& left, const SizeExpr& right);
  friend SizeExpr operator*(const SizeExpr& left, const SizeExpr& right);
  friend SizeExpr operator-(const SizeExpr& expr) { return expr * SizeExpr(-1); }
  friend SizeExpr operator-(const SizeExpr& left, const SizeExpr& right) { return left + -right; }

 private:
  friend SizeExpr operation_of(SizeFunction function, std::vector<SizeExpr> arguments);
  static SizeExpr of_terms(std::int64_t constant, std::vector<SizeTerm> terms);

  std::int64_t constant_ = 0;
  std::vector<SizeTerm> terms_;  // sorted by their factors, each product once
};

struct SizeOperation {
  SizeFunction function = SizeFunction::Max;
  std::vector<SizeExpr> arguments;  // two; of Max and Min two or more, sorted
};

// These are Python's // and %. The expression has no value at sizes where the divisor is 0.
SizeExpr floor_div(const SizeExpr& base, const SizeExpr& divisor);
SizeExpr mod(const SizeExpr& base, const SizeExpr& divisor);
// These leave out an argument that never decides.
SizeExpr max_of(const std::vector<SizeExpr>& arguments);
SizeExpr min_of(const std::vector<SizeExpr>& arguments);
SizeExpr applied(SizeFunction function, const std::vector<SizeExpr>& arguments);

// Returns what the function gives, or nullopt if a size that it computes is beyond 64 bits.
template <class Function>
auto unless_beyond(const Function& function) -> std::optional<decltype(function())> {
  try {
    return function();
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

// How an expression is made. In a product and a sum the number comes first; the operands of operations are
// sizes. The operation of a number or a symbol is "", and it has no operands.
struct SizeParts {
  std::string_view operation;  // "+", "*", "//", "%", "max", "min"
  std::vector<SizeExpr> operands;
};
SizeParts parts_of(const SizeExpr& expr);

std::vector<SizeSymbolPtr> symbols_of(const SizeExpr& expr);  // each once, by their numbers
std::set<std::size_t> origins_of(const SizeExpr& expr);
std::size_t hash_of(const SizeExpr& expr);

// Returns the smallest and the largest value that the ranges of its symbols allow (size_range.cpp).
SizeRange range_of(const SizeExpr& expr);

// Sizes by the numbers of the symbols that they replace; a symbol without one stays.
using SizeValues = std::map<std::size_t, SizeExpr>;
SizeExpr substituted(const SizeExpr& expr, const SizeValues& values);
// Returns the value, or nullopt if a divisor is not positive, a symbol has no value, or the result is beyond
// 64 bits.
std::optional<std::int64_t> evaluate(const SizeExpr& expr, const std::map<std::size_t, std::int64_t>& values);

// Returns a text such as "3", "s1", "2*s1*s2+s3-1" or "max(s1,floordiv(s2+1,2))" (size_text.cpp).
std::string to_string(const SizeExpr& expr);
// Reads such a text, or gives nullopt if it is no size, or one beyond 64 bits. `symbol_of` gives null if
// there is no such symbol.
std::optional<SizeExpr> parse_size(std::string_view text,
                                   const std::function<SizeSymbolPtr(std::size_t number)>& symbol_of);

}  // namespace dycl
