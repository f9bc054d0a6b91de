// SPDX-License-Identifier: Apache-2.0
// A tensor size: an integer, a symbol, or an affine expression of symbols (2*n+1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace dycl {

struct Dim {
  std::int64_t constant = 0;
  // The terms are sorted by symbol, and no coefficient is zero, so equal sizes have equal representations.
  std::vector<std::pair<SymbolId, std::int64_t>> terms;

  Dim() = default;
  Dim(std::int64_t size) : constant(size) {}  // NOLINT(google-explicit-constructor): a size is a Dim
  explicit Dim(SymbolId symbol) : terms{{symbol, 1}} {}

  [[nodiscard]] bool is_static() const { return terms.empty(); }
  // Returns the symbol if the dim is exactly one symbol.
  [[nodiscard]] std::optional<SymbolId> as_symbol() const;
  bool operator==(const Dim&) const = default;
};

Dim operator+(const Dim& left, const Dim& right);
Dim operator*(const Dim& dim, std::int64_t factor);

// Replaces each symbol by its value. Returns nullopt if `value_of` does (the symbol is unbound) or on
// overflow.
std::optional<std::int64_t> evaluate(const Dim& dim,
                                     const std::function<std::optional<std::int64_t>(SymbolId)>& value_of);

// Returns "3", "n" or "2*n+m-1".
std::string to_string(const Dim& dim, const std::function<std::string(SymbolId)>& name_of_symbol);

}  // namespace dycl
