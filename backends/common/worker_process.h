// SPDX-License-Identifier: Apache-2.0
// One worker process and the messages to and from it: the number of parts (u32), their sizes (u64 each), then
// their bytes, little endian. The first part is JSON.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl::plugin {

class WorkerProcess {
  struct OnlyStart {};

 public:
  using Clock = std::chrono::steady_clock;

  // Starts a process. Its standard input and output are the channel; its stderr is kept for messages.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command,
                                                      const std::vector<std::string>& environment);
  ~WorkerProcess();  // ends it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  enum class Outcome { Done, Gone, TooSlow };
  Outcome send(std::span<const std::string_view> parts, Clock::time_point deadline) const;
  Outcome receive(std::vector<std::string>& parts, Clock::time_point deadline) const;

  // Ends the process and says how it ended: "died with SIGSEGV" or "ended with code 1", and the last line
  // that it wrote to stderr.
  std::string obituary();

  WorkerProcess(OnlyStart, pid_t child, int channel, int errors)
      : child_(child), channel_(channel), errors_(errors) {}

 private:
  Outcome transfer(char* bytes, std::size_t size, bool incoming, Clock::time_point deadline) const;
  int end();  // the status as of waitpid
  [[nodiscard]] std::string last_line() const;

  pid_t child_;
  int channel_;
  int errors_;
};

}  // namespace dycl::plugin
