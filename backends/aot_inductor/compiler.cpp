// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "aot_inductor/blob.h"
#include "base/sha256.h"

namespace dycl::aot_inductor {
namespace {

namespace fs = std::filesystem;

// Raised whenever the worker makes something else of the same structure: what was remembered is made anew.
constexpr int kRecipe = 1;

std::optional<std::string> recall(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!read_blob(bytes)) return std::nullopt;  // half written, or rotten: made again
  return bytes;
}

// A cache that cannot be written only costs time: errors are ignored.
void remember(const fs::path& file, const std::string& blob) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path fresh = fmt::format("{}.{}.{}", file.string(), getpid(),
                                     std::hash<std::thread::id>{}(std::this_thread::get_id()));
  const bool written = static_cast<bool>(std::ofstream(fresh, std::ios::binary) << blob);
  if (written) fs::rename(fresh, file, error);
  if (!written || error) fs::remove(fresh, error);
}

}  // namespace

Result<CompileOptions> parse_compile_options(const char* text) {
  CompileOptions options;
  if (text == nullptr) return options;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto bad = fail(Blame::Usage, "backend.bad_options", "the options for compiling are wrong");
  if (!json.is_object()) return bad;
  if (json.contains("cache") && !json["cache"].is_string()) return bad;
  if (json.contains("jobs") && !json["jobs"].is_number_integer()) return bad;
  options.cache = json.value("cache", std::string());
  options.jobs = static_cast<int>(std::clamp<std::int64_t>(json.value("jobs", std::int64_t{0}), 0, 1024));
  return options;
}

Result<std::string> Compiler::compile(const Payload& payload, const CompileOptions& options) {
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

Result<std::string> Compiler::recall_or_make(const std::string& structure, const CompileOptions& options) {
  if (options.cache.empty()) return make(structure, options);
  const std::string key = sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kRecipe, DYCL_VERSION, torch_,
                                                 library_, cpu_features(), structure));
  const fs::path file = options.cache / "aot_inductor" / (key + ".blob");
  if (auto blob = recall(file)) return std::move(*blob);
  Result<std::string> blob = make(structure, options);
  if (blob) remember(file, *blob);
  return blob;
}

Result<std::string> Compiler::make(const std::string& structure, const CompileOptions& options) {
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

std::shared_ptr<plugin::WorkerPool> Compiler::workers(const CompileOptions& options) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  plugin::WorkerSettings settings;
  settings.backend = "aot_inductor";
  settings.package = "dycl_inductor";
  settings.library = library_;
  settings.processes = options.jobs > 0 ? options.jobs : cores;
  settings.limit = std::chrono::seconds(1800);  // torch's headers are compiled first, once per cache
  settings.environment = {"OMP_NUM_THREADS=1"};
  if (!options.cache.empty())
    settings.environment.push_back("TORCHINDUCTOR_CACHE_DIR=" +
                                   (options.cache / "aot_inductor" / "torch").string());
  const std::lock_guard lock(mutex_);
  auto& pool = pools_[fmt::format("{} {}", settings.processes, options.cache.string())];
  if (pool == nullptr) pool = std::make_shared<plugin::WorkerPool>(std::move(settings));
  return pool;
}

}  // namespace dycl::aot_inductor
