// SPDX-License-Identifier: Apache-2.0
// Asks the worker process that has TVM's compiler (backends/tvm/dycl_tvm).
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "backend/plugin_abi.h"
#include "common/refusal.h"
#include "common/worker.h"

namespace dycl::tvm {

class Compiler {
 public:
  Compiler(const std::string& library, std::string version);

  Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) const;
  Result<std::string> infer_types(const DyclGraph& graph) const;  // JSON
  // Returns a blob. Graphs that differ only in the contents of their weights get the same one.
  Result<std::string> compile(const DyclGraph& graph) const;

 private:
  struct Question;
  Result<plugin::WorkerAnswer> ask(const char* question, const Question& about) const;
  Result<std::optional<plugin::Refusal>> refusal_of(const Question& about) const;
  Result<std::string> compile(const Question& about) const;
  Result<std::string> made(const Question& about, const std::string& key) const;
  static std::optional<std::string> recalled(const Question& about, const std::string& key);
  [[nodiscard]] std::string cache_key(const Question& about) const;

  std::string library_;
  std::string version_;
  plugin::WorkerPool workers_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::optional<plugin::Refusal>> refusals_;  // by key of the question
  mutable std::map<std::string, std::string> blobs_;
};

}  // namespace dycl::tvm
