// SPDX-License-Identifier: Apache-2.0
// Finds a value's contents by its id.
#pragma once

#include <vector>

#include "hcfg/hcfg.h"

namespace dycl {

// Which values are constants; kept up to date while a graph grows (or is cut back to a checkpoint).
class ConstantTable {
 public:
  void update(const Hcfg& graph);
  [[nodiscard]] const TensorPtr* find(const Hcfg& graph, ValueId value) const;
  [[nodiscard]] TensorPtr contents(const Hcfg& graph, ValueId value) const;  // null: not a constant

 private:
  std::vector<std::int64_t> position_;  // by value: place in graph.constants, or -1
  std::vector<ValueId> values_;         // by place
};

}  // namespace dycl
