// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"
#include "onnx_ml.pb.h"

namespace dycl {

struct ExternalBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Maps the part of a file that a tensor names. The file must lie in `folder` or below it, be a plain
// file reached through no link, and hold the whole range.
Result<ExternalBytes> map_external_data(const onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace dycl
