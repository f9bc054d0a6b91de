// SPDX-License-Identifier: Apache-2.0
// Records what a session does and when, as Chrome trace JSON (chrome://tracing, Perfetto).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace dycl::runtime {

class LoadedProgram;

enum class TraceKind : std::uint8_t { Run, Subnet, HostOp };

// One event of a run. `instruction` is an index into the plan's code (0 for a whole run).
struct TraceEvent {
  TraceKind kind = TraceKind::Run;
  std::uint32_t instruction = 0;
  std::chrono::nanoseconds start{0};  // since the recorder was made
  std::chrono::nanoseconds duration{0};
};

// The time spent in one sub-DNN of the plan.
struct SubnetTime {
  std::string name;
  std::uint64_t calls = 0;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds median{0};  // of its calls: other processes may interrupt one for long
};

// A recorder belongs to one session while it is set there. It looks names up when it writes, not when it
// records.
class TraceRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  // The recorder keeps the first `limit` events and counts later ones as dropped, so that a trace of an
  // endless loop does not fill the memory.
  explicit TraceRecorder(std::size_t limit = 4'000'000);

  void attach(const LoadedProgram& program) { program_ = &program; }
  void record(TraceKind kind, std::uint32_t instruction, Clock::time_point start, Clock::time_point end);

  [[nodiscard]] const std::vector<TraceEvent>& events() const { return events_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::vector<SubnetTime> subnet_times() const;  // most expensive first
  [[nodiscard]] std::chrono::nanoseconds median_run() const;   // 0 if there was none

  // The program whose session recorded the trace must still exist.
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] Status write(const std::filesystem::path& path) const;

 private:
  std::size_t limit_;
  Clock::time_point origin_;
  std::vector<TraceEvent> events_;
  std::uint64_t dropped_ = 0;
  const LoadedProgram* program_ = nullptr;
};

}  // namespace dycl::runtime
