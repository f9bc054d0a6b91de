// SPDX-License-Identifier: Apache-2.0
#include "runtime/native_code.h"

#include <fmt/format.h>

#include "base/sha256.h"

namespace dycl::runtime {
namespace {

bool may_be_native(const OpenedBackends& backends, const std::string& name) {
  const auto backend = backends.find(name);
  return backend == backends.end() || backend->second->traits().blob == BlobKind::Native;
}

}  // namespace

Status check_native_code(const Artifact& artifact, const OpenedBackends& backends,
                         const LoadOptions& options) {
  if (options.allow_native) return {};
  for (const auto& [hash, subnet] : artifact.subnets)
    for (const auto& [backend, blob] : subnet.blobs)
      if (may_be_native(backends, backend) && !options.trusted_blobs.contains(sha256_hex(blob)))
        return fail(Blame::Package, "package.native_code",
                    fmt::format("the package holds machine code for the backend '{}'", backend), {},
                    "load it with allow_native if you trust where it came from");
  return {};
}

}  // namespace dycl::runtime
