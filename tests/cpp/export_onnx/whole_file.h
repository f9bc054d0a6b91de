// SPDX-License-Identifier: Apache-2.0
// An exported graph as ONNX Runtime runs it: the whole file, no part of DyCL around it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "hcfg/hcfg.h"

namespace dycl::test {

std::shared_ptr<const Backend> onnxruntime();

// For graphs without control flow: the plugin takes no other.
class WholeFile {
 public:
  // Exports and loads; fails with the refusal.
  static Result<WholeFile> make(const Hcfg& graph);
  [[nodiscard]] Result<std::vector<TensorData>> run(std::span<const TensorData> inputs) const;

 private:
  std::shared_ptr<const BackendExecutable> executable_;
  std::size_t outputs_ = 0;
};

}  // namespace dycl::test
