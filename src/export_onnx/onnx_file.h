// SPDX-License-Identifier: Apache-2.0
// From a compiled program back to one ONNX file.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "package/artifact.h"

namespace dycl::export_onnx {

struct OnnxFileOptions {
  std::size_t inline_limit = std::size_t{2000} << 20;  // bytes; a larger model has its weights beside it
};

// The model as the bytes of one file. Too large for one: refused.
Result<std::string> export_onnx_bytes(const Artifact& artifact, const OnnxFileOptions& options = {});

// Writes the file, and "<file>.data" beside it for the weights of a model beyond the limit.
Status export_onnx_file(const Artifact& artifact, const std::filesystem::path& path,
                        const OnnxFileOptions& options = {});

}  // namespace dycl::export_onnx
