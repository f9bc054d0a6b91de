// SPDX-License-Identifier: Apache-2.0
// Meeting of types where control flow joins: what differs becomes a symbol of its own, so a block
// parameter promises only what holds on every edge into it.
#pragma once

#include <functional>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

// Symbols numbered below `first_local` were bound before the branches or the loop began and are
// visible at the join; the others are not and are replaced by fresh ones.
struct SymbolScope {
  std::size_t first_local = 0;
  [[nodiscard]] bool visible(const Dim& dim) const;
};

// Where a size that differs comes from: a fresh symbol, or a mark that one is needed.
using DimSource = std::function<Dim()>;
DimSource fresh_symbols(Hcfg& graph);
Dim open_dim();  // the mark: no symbol has this id, so no scope sees it

// The most precise type that both sides fit; a plain value meets an optional one as optional.
// Fails when the element types or kinds differ.
Result<Type> join_types(const Type& left, const Type& right, SymbolScope scope, const DimSource& fresh);

// The same type with sizes that are not visible replaced.
Type generalise(const Type& type, SymbolScope scope, const DimSource& fresh);

// The type with every size that is not static given a fresh symbol: an element taken out of a
// sequence shares no size with the element taken before it.
Type refresh_symbols(const Type& type, const DimSource& fresh);

// Does a value of type `from` fit a parameter of type `to`? Symbols of `to` numbered from
// `scope.first_local` on are bound by the parameter itself and take any size.
bool fits(const Type& from, const Type& to, SymbolScope scope);

}  // namespace dycl
