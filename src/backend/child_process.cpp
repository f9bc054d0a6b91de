// SPDX-License-Identifier: Apache-2.0
#include "backend/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <thread>

namespace dycl {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t largest_output = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

Failure cannot_start(const std::filesystem::path& program, int error) {
  return fail(Blame::Usage, "probe.cannot_start",
              fmt::format("'{}' cannot be started: {}", program.string(), std::strerror(error)));
}

Result<pid_t> spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                    int output) {
  std::vector<std::string> texts{program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return cannot_start(program, error);
  return child;
}

// Reads until the child closes its end; false at the deadline.
bool read_all(int descriptor, Clock::time_point deadline, std::string& output) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got > 0 && output.size() < largest_output)
      output.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return true;
  }
}

// The child has closed its output; it may still take a moment to end, or never do so.
bool wait_until(pid_t child, Clock::time_point deadline, int& status) {
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

Result<ChildOutcome> run_child(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start(program, errno);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const auto deadline = Clock::now() + limit;
  auto child = spawn(program, arguments, write_end.get());
  if (!child) return failure_of(std::move(child));
  write_end.close();
  ChildOutcome outcome;
  int status = 0;
  const bool ended =
      read_all(read_end.get(), deadline, outcome.output) && wait_until(*child, deadline, status);
  if (!ended) {
    outcome.timed_out = true;
    kill(*child, SIGKILL);
    waitpid(*child, &status, 0);
    return outcome;
  }
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace dycl
