// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/source_span.h"

namespace dycl::partial_eval {

// One place where the program depends on the values of its tensors, for `dycl explain`.
struct Decision {
  std::vector<SourceSpan> spans;  // innermost first
  std::string kind;               // "branch", "switch", "item", "check", "raise"
  std::string outcome;            // what becomes of it
};

}  // namespace dycl::partial_eval
