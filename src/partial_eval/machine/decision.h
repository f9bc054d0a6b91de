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

// Something that the program asked of its surroundings and that was answered once, while compiling: the
// program holds only where the answer still does.
struct Fact {
  std::string question;           // "torch.is_grad_enabled()"
  std::string answer;             // "False"
  std::vector<SourceSpan> spans;  // where it was asked, innermost first
};

// An exception that leaves the program.
struct LeavingException {
  std::string text;               // "ValueError: too large: {}"
  std::vector<SourceSpan> spans;  // where it was raised, innermost first
};

}  // namespace dycl::partial_eval
