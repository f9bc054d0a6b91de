// SPDX-License-Identifier: Apache-2.0
// Refuses machine code in a package unless the caller allowed it.
#pragma once

#include "base/result.h"
#include "package/artifact.h"
#include "runtime/program.h"

namespace dycl::runtime {

// The plugins say whether their blobs may be machine code; the package has no say. A blob counts as machine
// code unless its backend is installed and only interprets it. Machine code is refused (Blame::Package)
// unless the options allow it or trust this blob.
Status check_native_code(const Artifact& artifact, const OpenedBackends& backends,
                         const LoadOptions& options);

}  // namespace dycl::runtime
