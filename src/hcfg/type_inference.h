// SPDX-License-Identifier: Apache-2.0
// Who knows the result types of tensor operations. Frontends ask while they build a graph; the answer
// comes from a backend (src/subnet), so this folder needs none.
#pragma once

#include <map>
#include <span>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

class TypeInference {
 public:
  virtual ~TypeInference() = default;
  // Types of every value that `ops` define, from the types of the values they use. A size that is not
  // known becomes a fresh symbol of `graph`. A failure names the operation that caused it.
  virtual Result<std::map<ValueId, TensorType>> infer(Hcfg& graph, std::span<const OnnxOp> ops) = 0;
};

}  // namespace dycl
