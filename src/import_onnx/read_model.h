// SPDX-License-Identifier: Apache-2.0
// Reads ONNX bytes into a ModelProto, within limits: a hostile file cannot exhaust the stack or the memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "onnx_ml.pb.h"

namespace dycl::import_onnx {

Result<std::unique_ptr<onnx::ModelProto>> read_model_bytes(std::string_view bytes, const std::string& file);

struct ModelFile {
  std::unique_ptr<onnx::ModelProto> model;
  std::string sha256;  // of the bytes that were parsed
};
Result<ModelFile> read_model_file(const std::filesystem::path& path);

}  // namespace dycl::import_onnx
