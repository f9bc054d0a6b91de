// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/own_bytes.h"
#include "base/result.h"
#include "onnx_ml.pb.h"

namespace dycl::import_onnx {

// The files beside a model that hold its weights. A file must lie in the model's folder or below it, be a
// plain file reached through no link, and hold all bytes that a tensor refers to.
class ExternalFiles {
 public:
  // If the model was given as bytes, the folder is empty, and all external data is refused.
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Returns the part of a file that a tensor refers to; it is read once, however many tensors refer to it.
  Result<std::shared_ptr<const OwnBytes>> read(const onnx::TensorProto& proto);

 private:
  using Part = std::pair<std::uint64_t, std::uint64_t>;  // offset and length
  struct File {
    std::map<Part, std::shared_ptr<const OwnBytes>> parts;
    std::uint64_t bytes = 0;             // the size of all parts
    std::optional<struct stat> as_read;  // the file's facts when the first part was read
  };

  std::filesystem::path folder_;
  std::map<std::string, File> files_;  // by their path below the folder
};

}  // namespace dycl::import_onnx
