// SPDX-License-Identifier: Apache-2.0
// Writes a stored-only zip file in the order given (zip_format.h says how each byte is chosen).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "package/zip_format.h"

namespace dycl {

using ByteSink = std::function<Status(std::span<const std::byte>)>;

// The contents of one entry, as pieces that are written one after another, so that weights are not copied.
struct ZipSource {
  std::string name;
  std::vector<std::span<const std::byte>> pieces;
};

Status write_zip(std::span<const ZipSource> entries, const ByteSink& sink,
                 const zip::Thresholds& thresholds = {});

}  // namespace dycl
