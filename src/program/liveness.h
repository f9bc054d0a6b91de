// SPDX-License-Identifier: Apache-2.0
// Finds the registers that the rest of a function may still read. Paths that meet drop all others.
#pragma once

#include <cstddef>
#include <vector>

#include "program/function.h"

namespace dycl::program {

class Liveness {
 public:
  Liveness() = default;
  explicit Liveness(const Function& function);

  // Returns the registers that are live before instruction `index` of the block, ascending; index ==
  // instructions.size() is the terminator. Where a handler may take over, what it reads is live, too. A cell
  // register is live wherever a later instruction may use the cell.
  [[nodiscard]] const std::vector<RegisterId>& before(BlockId block, std::size_t index) const {
    return live_[block.index()][index];
  }
  [[nodiscard]] const std::vector<RegisterId>& at_entry(BlockId block) const { return before(block, 0); }

 private:
  std::vector<std::vector<std::vector<RegisterId>>> live_;
};

}  // namespace dycl::program
