// SPDX-License-Identifier: Apache-2.0
// A Python number beside a tensor is a constant of 64 bits that its fragment casts. The cast is done here: it
// costs nothing at run time, and backends without 64-bit types need not see it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "subnet/stamp.h"

namespace dycl {

class CastFolder {
 public:
  // The operations without casts of single numbers that are constants; values of `outputs` stay computed.
  std::vector<TensorOp> fold(Hcfg& graph, const ConstantTable& constants, std::vector<TensorOp> ops,
                             std::span<const ValueId> outputs);

 private:
  ValueId folded(Hcfg& graph, const ConstantTable& constants, const TensorOp& op);

  std::map<std::pair<ValueId, DType>, ValueId> done_;
};

}  // namespace dycl
