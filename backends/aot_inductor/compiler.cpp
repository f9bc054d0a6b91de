// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "aot_inductor/blob.h"
#include "base/disk_cache.h"
#include "base/machine.h"
#include "base/sha256.h"

namespace dycl::aot_inductor {
namespace {

constexpr const char* kPackage = "dycl_inductor";

// Read once, by the first compilation: running needs no package.
const std::string& recipe() {
  static const std::string made = plugin::recipe_of(kPackage);
  return made;
}

}  // namespace

Result<std::string> Compiler::compile(const Payload& payload, const plugin::CompileOptions& options) {
  std::promise<Result<std::string>> promise;
  Shared shared;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(payload.structure);
    if (found != known_.end())
      shared = found->second;
    else
      known_.emplace(payload.structure, promise.get_future().share());
  }
  if (shared.valid()) return shared.get();
  Result<std::string> blob = recall_or_make(payload.structure, options);
  if (!blob) {  // those who wait share the failure, the next one tries again
    const std::lock_guard lock(mutex_);
    known_.erase(payload.structure);
  }
  promise.set_value(blob);
  return blob;
}

Result<std::string> Compiler::recall_or_make(const std::string& structure,
                                             const plugin::CompileOptions& options) {
  if (options.cache.empty()) return make(structure, options);
  DiskCache cache(options.cache);
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", recipe(), DYCL_VERSION, torch_,
                                      identity_of(library_), cpu_features(), structure);
  if (auto blob = cache.find("aot_inductor", key)) return std::move(*blob);
  Result<std::string> blob = make(structure, options);
  if (blob) cache.keep("aot_inductor", key, *blob);
  return blob;
}

Result<std::string> Compiler::make(const std::string& structure, const plugin::CompileOptions& options) {
  auto answer =
      workers(options)->ask("compile", nlohmann::json::object(), std::array<std::string_view, 1>{structure});
  if (!answer) return failure_of(std::move(answer));
  const auto smallest = answer->json.find("smallest");
  const auto torch = answer->json.find("torch");
  if (answer->parts.size() != 1 || smallest == answer->json.end() || !smallest->is_number_integer() ||
      torch == answer->json.end() || !torch->is_string())
    return fail(Blame::Internal, "aot_inductor.bad_answer", "the worker gave no library");
  return write_blob({*torch, cpu_features(), sha256_hex(structure), *smallest}, answer->parts[0]);
}

std::shared_ptr<plugin::WorkerPool> Compiler::workers(const plugin::CompileOptions& options) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  plugin::WorkerSettings settings;
  settings.backend = "aot_inductor";
  settings.package = kPackage;
  settings.library = library_;
  settings.processes = options.jobs > 0 ? options.jobs : cores;
  settings.limit = std::chrono::seconds(1800);  // torch's headers are compiled first, once per cache
  settings.environment = {"OMP_NUM_THREADS=1"};
  if (!options.cache.empty())
    settings.environment.push_back("TORCHINDUCTOR_CACHE_DIR=" + (options.cache / "torch").string());
  const std::lock_guard lock(mutex_);
  auto& pool = pools_[fmt::format("{} {}", settings.processes, options.cache.string())];
  if (pool == nullptr) pool = std::make_shared<plugin::WorkerPool>(std::move(settings));
  return pool;
}

}  // namespace dycl::aot_inductor
