// SPDX-License-Identifier: Apache-2.0
// Python processes in which a plugin compiles. What they load (a compiler, LLVM, torch) never enters the
// user's process, and a crash there becomes an error message. The runtime starts no worker: only check,
// infer_types and compile of a plugin may ask one, never load or run.
//
// A worker is `python -P -m <package>`, whose main calls dycl_worker.serve (backends/common/dycl_worker). The
// interpreter is that of the environment in which the vendor library lies; the packages lie beside it
// (the wheel) or in the folder `workers` beside the plugin (a build tree, an installed C++ package).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl::plugin {

struct WorkerSettings {
  std::string backend;                     // for messages: "tvm"
  std::string package;                     // "dycl_tvm"
  std::filesystem::path library;           // the vendor library
  int processes = 1;                       // at most so many; one is started if all others are busy
  std::chrono::seconds limit{600};         // after that time for one question the worker is ended
  std::vector<std::string> environment{};  // "NAME=value", beside what this process has
  std::filesystem::path interpreter{};     // empty: find_interpreter(library)
};

// The answer of a handler: its JSON object, and byte strings beside it.
struct WorkerAnswer {
  nlohmann::json json;
  std::vector<std::string> parts;
};

// This is called from the asking thread with each line of progress that the handler reports.
using WorkerProgress = std::function<void(const std::string& text)>;

class WorkerProcess;

// The pool is thread safe. A worker is started by the first question that needs it, answers many, and ends
// with the pool.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerSettings settings);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls the handler `question`; waits for a free worker if there are as many as may be. Fails with the
  // handler's own code, message and hint, or with worker.cannot_start, worker.died, worker.too_slow. The
  // next question then gets a fresh worker.
  Result<WorkerAnswer> ask(const std::string& question, const nlohmann::json& arguments,
                           std::span<const std::string_view> parts = {},
                           const WorkerProgress& progress = {}) const;

 private:
  Result<std::unique_ptr<WorkerProcess>> take() const;
  void give_back(std::unique_ptr<WorkerProcess> worker) const;  // null: it is gone

  WorkerSettings settings_;
  mutable std::mutex mutex_;
  mutable std::condition_variable freed_;
  mutable std::vector<std::unique_ptr<WorkerProcess>> idle_;
  mutable int running_ = 0;  // idle and busy ones
};

// Returns a text that changes with the code of a worker's package, because new code may give other results.
std::string recipe_of(const std::string& package);

// Finds the Python of the environment that a library lies in: the nearest bin/python3 above it.
Result<std::filesystem::path> find_interpreter(const std::filesystem::path& library);

}  // namespace dycl::plugin
