// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "package/artifact.h"

namespace dycl::runtime {

// Everything that the executor relies on and does not check again while running. Blame::Package,
// "package.bad_plan". (verify_artifact is stricter; this one guards memory safety and is always run.)
Status check_plan(const Artifact& artifact);

}  // namespace dycl::runtime
