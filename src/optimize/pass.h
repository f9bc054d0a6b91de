// SPDX-License-Identifier: Apache-2.0
// What a pass is: a free function from graph to graph, `Result<Hcfg> name(Hcfg, const PassContext&)`, in
// a header and a source file of its own. How to add one: docs/how_to/add_a_pass.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "hcfg/evaluator.h"
#include "hcfg/hcfg.h"
#include "hcfg/type_inference.h"

namespace dycl::optimize {

struct PassContext {
  TensorOpEvaluator* evaluator = nullptr;    // null: what needs tensor work is left unfolded
  TypeInference* inference = nullptr;        // null: types stay as the frontend inferred them
  int level = 1;                             // set by optimize(); 0: keep one sub-DNN per basic block
  std::size_t unroll_operations = 64;        // operations that unrolling one loop may leave
  std::int64_t unroll_trips = 16;            // trips that a loop may have to be unrolled
  std::size_t fold_limit_bytes = 1U << 20U;  // a folded constant is not larger than this
};

using PassFunction = Result<Hcfg> (*)(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
