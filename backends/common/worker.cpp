// SPDX-License-Identifier: Apache-2.0
#include "common/worker.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "base/sha256.h"
#include "common/worker_process.h"

namespace dycl::plugin {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// An address inside the plugin, for dladdr.
void anchor() {}

fs::path plugin_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&anchor), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

// The folder with the workers' Python packages lies beside the plugin: in the wheel, in a build tree and in
// an installed C++ package. Tests that link the plugin's code name a folder of their own in PYTHONPATH.
fs::path packages_folder() { return plugin_folder() / "workers"; }

std::vector<std::string> environment_of(const WorkerSettings& settings) {
  std::vector<std::string> environment = settings.environment;
  const fs::path folder = packages_folder();
  std::error_code error;
  if (!fs::is_directory(folder, error)) return environment;
  const char* known = std::getenv("PYTHONPATH");
  environment.push_back(fmt::format("PYTHONPATH={}{}{}", folder.string(), known == nullptr ? "" : ":",
                                    known == nullptr ? "" : known));
  return environment;
}

Failure gone(const WorkerSettings& settings, const std::string& question, WorkerProcess& worker) {
  return fail(Blame::Backend, "worker.died",
              fmt::format("the process in which {} compiles {} (asked to {})", settings.backend,
                          worker.obituary(), question));
}

Failure too_slow(const WorkerSettings& settings, const std::string& question) {
  return fail(Blame::Backend, "worker.too_slow",
              fmt::format("the process in which {} compiles did not answer within {} s (asked to {})",
                          settings.backend, settings.limit.count(), question));
}

// {"failed": {"code", "message", "hint"}}
Failure told_failure(const Json& failed) {
  const auto text = [&](const char* field) { return failed.value(field, std::string()); };
  return fail(Blame::Backend, text("code"), text("message"), {}, text("hint"));
}

}  // namespace

Result<fs::path> find_interpreter(const fs::path& library) {
  std::error_code error;
  const fs::path absolute = fs::absolute(library, error);
  for (fs::path folder = absolute.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    const fs::path python = folder / "bin" / "python3";
    if (fs::exists(python, error)) return python;
    if (folder == folder.root_path()) break;
  }
  return fail(Blame::Backend, "worker.no_python",
              fmt::format("'{}' lies in no Python environment, and compiling needs one", library.string()),
              {}, "compile where the backend's wheel is installed; running needs no Python");
}

std::string recipe_of(const std::string& package) {
  const fs::path folder = packages_folder();
  std::error_code error;
  std::set<fs::path> files;
  for (fs::directory_iterator entry(folder / package, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".py") files.insert(entry->path());
  Sha256 hash;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    hash.update(file.filename().string() + "\n");
    hash.update(std::string{std::istreambuf_iterator<char>(stream), {}});
  }
  return hash.hex();
}

WorkerPool::WorkerPool(WorkerSettings settings) : settings_(std::move(settings)) {}
WorkerPool::~WorkerPool() = default;

Result<std::unique_ptr<WorkerProcess>> WorkerPool::take() const {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !idle_.empty() || running_ < settings_.processes; });
  if (!idle_.empty()) {
    std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  Result<fs::path> python =
      settings_.interpreter.empty() ? find_interpreter(settings_.library) : settings_.interpreter;
  if (!python) return failure_of(std::move(python));
  auto worker =
      WorkerProcess::start({python->string(), "-P", "-m", settings_.package}, environment_of(settings_));
  if (worker) ++running_;
  return worker;
}

void WorkerPool::give_back(std::unique_ptr<WorkerProcess> worker) const {
  {
    const std::lock_guard lock(mutex_);
    if (worker == nullptr)
      --running_;
    else
      idle_.push_back(std::move(worker));
  }
  freed_.notify_one();
}

Result<WorkerAnswer> WorkerPool::ask(const std::string& question, const Json& arguments,
                                     std::span<const std::string_view> parts,
                                     const WorkerProgress& progress) const {
  auto taken = take();
  if (!taken) return failure_of(std::move(taken));
  std::unique_ptr<WorkerProcess> worker = std::move(*taken);
  const auto deadline = WorkerProcess::Clock::now() + settings_.limit;
  const std::string head = Json{{"question", question}, {"arguments", arguments}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  std::vector<std::string_view> message{head};
  message.insert(message.end(), parts.begin(), parts.end());
  WorkerProcess::Outcome outcome = worker->send(message, deadline);
  Json answer;
  std::vector<std::string> received;
  while (outcome == WorkerProcess::Outcome::Done) {
    outcome = worker->receive(received, deadline);
    if (outcome != WorkerProcess::Outcome::Done) break;
    answer = Json::parse(received.front(), nullptr, false);
    if (!answer.is_object() || !answer.contains("progress")) break;
    if (progress) progress(answer.value("progress", std::string()));
  }
  if (outcome != WorkerProcess::Outcome::Done) {
    Failure failure = outcome == WorkerProcess::Outcome::Gone ? gone(settings_, question, *worker)
                                                              : too_slow(settings_, question);
    worker.reset();
    give_back(nullptr);
    return failure;
  }
  give_back(std::move(worker));
  if (answer.is_object() && answer.contains("failed") && answer["failed"].is_object())
    return told_failure(answer["failed"]);
  if (!answer.is_object() || !answer.contains("answer"))
    return fail(Blame::Backend, "worker.bad_answer",
                fmt::format("the process in which {} compiles sent no answer (asked to {})",
                            settings_.backend, question));
  received.erase(received.begin());
  return WorkerAnswer{std::move(answer["answer"]), std::move(received)};
}

}  // namespace dycl::plugin
