// SPDX-License-Identifier: Apache-2.0
// Where each symbol gets its size: a symbol is bound once, by the first definition whose tensor type
// has it as a whole size. Sizes inside sequences and optionals bind nothing: they differ per element.
#pragma once

#include <vector>

#include "hcfg/dominance.h"
#include "hcfg/uses.h"

namespace dycl {

class SymbolBindings {
 public:
  // Only blocks that the entry reaches are looked at. All ids must be in range.
  SymbolBindings(const Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators);

  // kind None: bound nowhere. Parameter and Step as in UseTable.
  [[nodiscard]] const Definition& binding(SymbolId symbol) const { return bindings_[symbol.index()]; }

  // Has the symbol its size where control enters `block`, before the block's parameters bind?
  [[nodiscard]] bool bound_before(SymbolId symbol, BlockId block) const;
  // The same once the block's parameters have bound theirs.
  [[nodiscard]] bool bound_at_entry(SymbolId symbol, BlockId block) const;
  // The same at a step; what the step's own outputs bind is included.
  [[nodiscard]] bool bound_at(SymbolId symbol, Place place) const;

 private:
  void bind(const Type& type, const Definition& definition);

  const DominatorTree& dominators_;
  std::vector<Definition> bindings_;
};

}  // namespace dycl
