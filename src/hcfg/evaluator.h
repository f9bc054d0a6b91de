// SPDX-License-Identifier: Apache-2.0
// Who does tensor work for the reference interpreter and for constant folding.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

class TensorOpEvaluator {
 public:
  virtual ~TensorOpEvaluator() = default;
  // One operation on known inputs (nullptr: omitted). One result per output, nullptr where omitted.
  virtual Result<std::vector<TensorPtr>> evaluate(const TensorOp& op, std::span<const TensorPtr> inputs) = 0;
};

}  // namespace dycl
