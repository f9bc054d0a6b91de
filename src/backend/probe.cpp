// SPDX-License-Identifier: Apache-2.0
#include "backend/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "backend/child_process.h"
#include "base/machine.h"
#include "base/sha256.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path cache_file(const ProbeRequest& request) {
  const BackendOptions& backend = request.backend;
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", DYCL_VERSION, backend.name, identity_of(backend.plugin),
                  identity_of(backend.library), backend.precision, fmt::join(processor_features(), " "));
  return request.cache / ("probe-" + sha256_hex(key) + ".json");
}

std::optional<ProbeReport> recall(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("usable") || !json.contains("message")) return std::nullopt;
  if (!json["usable"].is_boolean() || !json["message"].is_string()) return std::nullopt;
  return ProbeReport{json["usable"].get<bool>(), json["message"].get<std::string>(), true};
}

// A cache that cannot be written only costs time: errors are ignored.
void remember(const fs::path& file, const ProbeReport& report) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path fresh = fmt::format("{}.{}", file.string(), getpid());
  {
    std::ofstream stream(fresh, std::ios::binary);
    stream << Json{{"usable", report.usable}, {"message", report.message}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  }
  fs::rename(fresh, file, error);
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

std::string advice(int number) {
  return number == SIGILL ? ": it uses instructions that this processor does not have" : "";
}

ProbeReport report_of(const ChildOutcome& outcome, const ProbeRequest& request) {
  const std::string& name = request.backend.name;
  if (outcome.timed_out)
    return {false, fmt::format("{} did not finish a first inference in {} ms", name, request.limit.count()),
            false};
  if (outcome.signal != 0)
    return {false,
            fmt::format("{} died with {} in a first inference{}", name, signal_name(outcome.signal),
                        advice(outcome.signal)),
            false};
  const Json json = Json::parse(outcome.output, nullptr, false);
  const bool understood = json.is_object() && json.contains("usable") && json["usable"].is_boolean() &&
                          json.contains("message") && json["message"].is_string();
  if (!understood)
    return {false, fmt::format("{} ended the probe with exit code {}", name, outcome.exit_code), false};
  return {json["usable"].get<bool>(), json["message"].get<std::string>(), false};
}

}  // namespace

Result<ProbeReport> probe_backend(const ProbeRequest& request) {
  const fs::path file = request.cache.empty() ? fs::path() : cache_file(request);
  if (!file.empty())
    if (auto known = recall(file)) return *known;
  const BackendOptions& backend = request.backend;
  auto outcome = run_child(
      request.program, {backend.name, backend.plugin.string(), backend.library.string(), backend.precision},
      request.limit);
  if (!outcome) return failure_of(std::move(outcome));
  const ProbeReport report = report_of(*outcome, request);
  if (!file.empty() && !outcome->timed_out) remember(file, report);
  return report;
}

}  // namespace dycl
