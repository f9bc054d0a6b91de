// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "runtime/program.h"

namespace dycl::runtime {
namespace {

double microseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000.0; }

const PlanSubnet* subnet_of(const HostPlan& plan, const TraceEvent& event) {
  const auto* call = std::get_if<PlanCall>(&plan.code[event.instruction].operation);
  return call == nullptr ? nullptr : &plan.subnets[call->subnet];
}

nlohmann::json event_json(const HostPlan& plan, const TraceEvent& event) {
  nlohmann::json json{{"ph", "X"}, {"pid", 1}, {"tid", 1}};
  json["ts"] = microseconds(event.start);
  json["dur"] = microseconds(event.duration);
  const PlanInstruction& instruction = plan.code[event.instruction];
  if (event.kind == TraceKind::Run) {
    json["name"] = "run";
    json["cat"] = "run";
    return json;
  }
  if (const PlanSubnet* subnet = subnet_of(plan, event)) {
    json["name"] = subnet->name;
    json["cat"] = "subnet";
    json["args"] = {{"backend", subnet->backend}};
  } else if (const auto* host = std::get_if<PlanHost>(&instruction.operation)) {
    json["name"] = name_of(host->op);
    json["cat"] = "host";
  }
  json["args"]["instruction"] = event.instruction;
  if (instruction.source.known()) json["args"]["source"] = to_string(instruction.source);
  return json;
}

std::chrono::nanoseconds median_of(std::vector<std::chrono::nanoseconds> durations) {
  if (durations.empty()) return std::chrono::nanoseconds(0);
  const auto middle = durations.begin() + std::ssize(durations) / 2;
  std::ranges::nth_element(durations, middle);
  return *middle;
}

}  // namespace

TraceRecorder::TraceRecorder(std::size_t limit) : limit_(limit), origin_(Clock::now()) {}

void TraceRecorder::record(TraceKind kind, std::uint32_t instruction, Clock::time_point start,
                           Clock::time_point end) {
  if (events_.size() >= limit_) {
    ++dropped_;
    return;
  }
  events_.push_back({kind, instruction, start - origin_, end - start});
}

std::vector<SubnetTime> TraceRecorder::subnet_times() const {
  if (program_ == nullptr) return {};
  std::map<std::string, std::vector<std::chrono::nanoseconds>> times;
  for (const TraceEvent& event : events_) {
    if (event.kind != TraceKind::Subnet) continue;
    const PlanSubnet* subnet = subnet_of(program_->artifact().plan, event);
    if (subnet != nullptr) times[subnet->name].push_back(event.duration);
  }
  std::vector<SubnetTime> sorted;
  for (auto& [name, calls] : times) {
    const auto total = std::accumulate(calls.begin(), calls.end(), std::chrono::nanoseconds(0));
    sorted.push_back({name, calls.size(), total, median_of(std::move(calls))});
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &SubnetTime::total);
  return sorted;
}

std::chrono::nanoseconds TraceRecorder::median_run() const {
  std::vector<std::chrono::nanoseconds> runs;
  for (const TraceEvent& event : events_)
    if (event.kind == TraceKind::Run) runs.push_back(event.duration);
  return median_of(std::move(runs));
}

std::string TraceRecorder::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  if (program_ != nullptr)
    for (const TraceEvent& event : events_) list.push_back(event_json(program_->artifact().plan, event));
  nlohmann::json json{{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  if (dropped_ > 0) json["otherData"] = {{"dropped_events", dropped_}};
  // Names come from users' models: replace what is not UTF-8 instead of failing.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status TraceRecorder::write(const std::filesystem::path& path) const {
  std::ofstream file(path, std::ios::binary);
  file << to_json() << '\n';
  file.close();
  if (!file)
    return fail(Blame::Usage, "run.trace_file", "the trace cannot be written to '" + path.string() + "'");
  return {};
}

}  // namespace dycl::runtime
