// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "package/artifact.h"

namespace dycl {

// Returns the artifact without what no run needs: the control-flow graph, the verification report, times of
// other backends, second forms of sub-DNNs, and the operators of those that are machine code (which the
// `native` backends make). `lost` then says in plain words what can no longer be done.
Result<VerifiedArtifact> strip_unused(const Artifact& artifact, const std::set<std::string>& native,
                                      std::vector<std::string>& lost);

}  // namespace dycl
