// SPDX-License-Identifier: Apache-2.0
// The optimizer: every pass in its order, run through one wrapper.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "optimize/pass.h"

namespace dycl::optimize {

struct PassDescription {
  std::string_view name;
  std::string_view sentence;
};

// In the order in which they run.
std::vector<PassDescription> all_passes();

#ifdef NDEBUG
inline constexpr bool kVerifyEachPass = false;
#else
inline constexpr bool kVerifyEachPass = true;
#endif

struct OptimizeOptions {
  int level = 1;                           // 0: one sub-DNN per basic block, nothing else
  std::vector<std::string> disabled = {};  // passes to leave out, by name
  bool verify_each = kVerifyEachPass;
};

// One run of one pass.
struct PassReport {
  std::string_view name;
  int round = 0;  // the simplifying passes are repeated until none of them changes anything
  double seconds = 0;
  bool changed = false;
};

// Runs the passes. A disabled name that is no pass is Blame::Usage ("optimize.unknown_pass"); a pass that
// leaves an illegal graph is Blame::Internal and names the pass. `reports` may be null.
Result<Hcfg> optimize(Hcfg graph, const OptimizeOptions& options, PassContext& context,
                      std::vector<PassReport>* reports = nullptr);

}  // namespace dycl::optimize
