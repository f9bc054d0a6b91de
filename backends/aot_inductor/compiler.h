// SPDX-License-Identifier: Apache-2.0
// Compiles a payload to a blob in a worker process, once however many ask for it, and keeps the blob on disk.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "aot_inductor/payload.h"
#include "base/result.h"
#include "common/compile_options.h"
#include "common/worker.h"

namespace dycl::aot_inductor {

// The compiler is thread safe.
class Compiler {
 public:
  Compiler(std::string library, std::string torch) : library_(std::move(library)), torch_(std::move(torch)) {}
  Result<std::string> compile(const Payload& payload, const plugin::CompileOptions& options);

 private:
  using Shared = std::shared_future<Result<std::string>>;

  Result<std::string> recall_or_make(const std::string& structure, const plugin::CompileOptions& options);
  Result<std::string> make(const std::string& structure, const plugin::CompileOptions& options);
  std::shared_ptr<plugin::WorkerPool> workers(const plugin::CompileOptions& options);

  std::string library_;  // libtorch_cpu.so
  std::string torch_;    // version
  std::mutex mutex_;
  std::map<std::string, Shared> known_;  // by structure
  std::map<std::string, std::shared_ptr<plugin::WorkerPool>> pools_;
};

}  // namespace dycl::aot_inductor
