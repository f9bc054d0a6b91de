// SPDX-License-Identifier: Apache-2.0
#include "backend/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "backend/child_process.h"
#include "base/disk_cache.h"
#include "base/machine.h"

namespace dycl {
namespace {

using Json = nlohmann::json;

constexpr const char* kKind = "probes";

std::string cache_key(const BackendOptions& backend) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", DYCL_VERSION, backend.name, identity_of(backend.plugin),
                     identity_of(backend.library), backend.precision, fmt::join(processor_features(), " "));
}

std::optional<ProbeReport> recall(DiskCache& cache, const std::string& key) {
  const auto text = cache.find(kKind, key);
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("usable") || !json.contains("message")) return std::nullopt;
  if (!json["usable"].is_boolean() || !json["message"].is_string()) return std::nullopt;
  return ProbeReport{json["usable"].get<bool>(), json["message"].get<std::string>(), true};
}

void remember(DiskCache& cache, const std::string& key, const ProbeReport& report) {
  const Json json{{"usable", report.usable}, {"message", report.message}};
  cache.keep(kKind, key, json.dump(-1, ' ', false, Json::error_handler_t::replace));
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
  const BackendOptions& backend = request.backend;
  std::optional<DiskCache> cache;
  if (!request.cache.empty()) cache.emplace(request.cache);
  const std::string key = cache_key(backend);
  if (cache)
    if (auto known = recall(*cache, key)) return *known;
  auto outcome = run_child(
      request.program, {backend.name, backend.plugin.string(), backend.library.string(), backend.precision},
      request.limit);
  if (!outcome) return failure_of(std::move(outcome));
  const ProbeReport report = report_of(*outcome, request);
  if (cache && !outcome->timed_out) remember(*cache, key, report);
  return report;
}

}  // namespace dycl
