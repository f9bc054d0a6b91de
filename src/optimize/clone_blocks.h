// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl::optimize {

struct Clone {
  std::map<BlockId, BlockId> blocks;
  std::map<ValueId, ValueId> values;
};

// Appends a copy of the blocks. Values and symbols that they define are renamed in it, edges among them lead
// to the copies, edges to other blocks stay. `symbols` are those that the blocks bind.
Clone clone_blocks(Hcfg& graph, const std::vector<BlockId>& blocks, const std::vector<SymbolId>& symbols);

}  // namespace dycl::optimize
