// SPDX-License-Identifier: Apache-2.0
// A Python number beside a tensor is a constant of 64 bits that its fragment casts; indices are compared with
// sizes. Both are done here: that costs nothing at run time, backends without 64-bit types need not see it,
// and an index that is plainly in range needs no guard.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "hcfg/constant_table.h"
#include "hcfg/hcfg.h"

namespace dycl::legalize {

class NumberFolder {
 public:
  // The operations without those whose inputs are constant numbers, as far as the result is the same on every
  // backend; values of `outputs` stay computed. Constants that are made join `constants`.
  std::vector<OnnxOp> fold(Hcfg& graph, ConstantTable& constants, std::vector<OnnxOp> ops,
                           std::span<const ValueId> outputs);

 private:
  using Key = std::tuple<std::string, std::vector<ValueId>, DType>;

  ValueId folded(Hcfg& graph, ConstantTable& constants, const OnnxOp& op);

  std::map<Key, ValueId> done_;  // invalid: cannot be folded
};

}  // namespace dycl::legalize
