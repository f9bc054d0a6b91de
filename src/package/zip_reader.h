// SPDX-License-Identifier: Apache-2.0
// Reads the zip files that zip_writer makes, and nothing else: no compression, no encryption, no
// gaps, no overlaps, no differences between local and central headers, no extra bytes anywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "package/entry.h"
#include "package/zip_format.h"

namespace dycl {

// Returns the entries in file order, as views into `file`, which `owner` keeps alive. It verifies the
// checksums.
Result<std::vector<PackageEntry>> read_zip(std::span<const std::byte> file,
                                           const std::shared_ptr<const void>& owner,
                                           const zip::Thresholds& thresholds = {});

}  // namespace dycl
