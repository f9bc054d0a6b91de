// SPDX-License-Identifier: Apache-2.0
// Machine code that a program carries runs only where that was allowed.
#pragma once

#include "base/result.h"
#include "package/artifact.h"
#include "runtime/program.h"

namespace dycl::runtime {

// What the plugins say of their blobs decides, never what the package says: a blob may be machine code unless
// its backend is here and only interprets it. Such a blob is refused, Blame::Package, unless the options
// allow all of them or trust this one.
Status check_native_code(const Artifact& artifact, const OpenedBackends& backends,
                         const LoadOptions& options);

}  // namespace dycl::runtime
