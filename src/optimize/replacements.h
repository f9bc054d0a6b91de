// SPDX-License-Identifier: Apache-2.0
// Collects "use this value instead of that one" and applies all of it in one walk over the graph, so that
// a pass stays linear however many values it replaces.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hcfg/control_flow.h"
#include "hcfg/hcfg.h"

namespace dycl::optimize {

// The value that binds each symbol: the first, inputs first and then in reverse post-order, that is a
// tensor with the symbol as a whole size (as hcfg/symbols.h has it). An invalid id: no value does.
std::vector<ValueId> symbol_binders(const Hcfg& graph, const ControlFlow& flow);

// Sizes of a tensor. Those inside sequences and optionals are left out: they differ per element, and their
// symbols bind nothing and mean nothing outside.
void for_each_dim(const Type& type, const std::function<void(const Dim&)>& visit);
Type map_dims(const Type& type, const std::function<Dim(const Dim&)>& change);

class Replacements {
 public:
  Replacements(const Hcfg& graph, const ControlFlow& flow);

  // May each of `to` stand wherever its partner in `from` stood? Not if something known about sizes would
  // be forgotten. A size that `from` itself binds is no loss: the symbol is replaced by the size that `to`
  // has there.
  [[nodiscard]] bool possible(std::span<const ValueId> from, std::span<const ValueId> to) const;
  [[nodiscard]] bool possible(ValueId from, ValueId to) const { return possible({&from, 1}, {&to, 1}); }
  // Wherever `from` is used, `to` is meant from now on; `to` must dominate `from`. False and without
  // effect when it is not possible().
  bool replace(std::span<const ValueId> from, std::span<const ValueId> to);
  bool replace(ValueId from, ValueId to) { return replace({&from, 1}, {&to, 1}); }
  [[nodiscard]] ValueId resolve(ValueId value) const;
  [[nodiscard]] bool empty() const { return count_ == 0; }

  // Says that a symbol has this size wherever it is visible.
  void replace_symbol(SymbolId symbol, Dim size) { sizes_[symbol.index()] = std::move(size); }
  [[nodiscard]] ValueId binder(SymbolId symbol) const { return binders_[symbol.index()]; }

  // Rewrites the graph and removes the parameters and operations that are replaced.
  void apply(Hcfg& graph) const;

 private:
  using Sizes = std::map<SymbolId, Dim>;
  struct Match {  // of a group of values that are replaced together
    std::span<const ValueId> from;
    Sizes sizes;
  };
  bool match(Match& group, std::span<const ValueId> to) const;
  bool match_type(Match& group, const Type& from, const Type& to) const;
  bool match_dim(Match& group, const Dim& from, const Dim& to) const;
  [[nodiscard]] Dim resolve(const Dim& dim, const Sizes& more = {}) const;
  void apply_to_types(Hcfg& graph) const;

  const Hcfg* graph_;
  std::vector<ValueId> binders_;
  mutable std::vector<ValueId> instead_;   // per value; chains are shortened when followed
  std::vector<std::optional<Dim>> sizes_;  // per symbol
  std::size_t count_ = 0;
};

}  // namespace dycl::optimize
