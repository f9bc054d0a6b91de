// SPDX-License-Identifier: Apache-2.0
// What is known without a backend (hcfg/known_result.h) becomes constants: a Python number beside a tensor
// that its fragment casts, an index that is compared with a size. That costs nothing at run time, backends
// without 64-bit types need not see it, and an index that is plainly in range needs no guard.
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
  // The operators without those whose results are known; values of `outputs` stay computed. Constants that
  // are made join `constants`.
  std::vector<OnnxOp> fold(Hcfg& graph, ConstantTable& constants, std::vector<OnnxOp> ops,
                           std::span<const ValueId> outputs);

 private:
  using Key = std::tuple<std::string, std::string, std::vector<ValueId>>;  // name, attributes, operands

  // Operators that are the same share it.
  ValueId constant_for(Hcfg& graph, const OnnxOp& op, const TensorPtr& result);

  std::map<Key, ValueId> made_;
};

}  // namespace dycl::legalize
