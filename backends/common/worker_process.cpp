// SPDX-License-Identifier: Apache-2.0
#include "common/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <thread>

namespace dycl::plugin {
namespace {

constexpr std::uint32_t most_parts = 1U << 16;
constexpr std::uint64_t largest_part = std::uint64_t{1} << 34;  // of an answer, in bytes
constexpr std::size_t kept_errors = 8192;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What this process has, with `changes` before it: the first entry of a name counts.
std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> result = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    if (std::ranges::none_of(changes, [&](const std::string& change) { return change.starts_with(name); }))
      result.emplace_back(text);
  }
  return result;
}

int spawn(std::vector<std::string> command, std::vector<std::string> environment, int channel, int errors,
          pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int error = posix_spawn(&child, command.front().c_str(), &actions, nullptr,
                                pointers_to(command).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

template <class Number>
void append(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command,
                                                            const std::vector<std::string>& environment) {
  const auto cannot = [&](int error) {
    return fail(Blame::Backend, "worker.cannot_start",
                fmt::format("'{}' cannot be started: {}", command.front(), std::strerror(error)));
  };
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return cannot(errno);
  const int errors = memfd_create("dycl-worker", MFD_CLOEXEC);
  pid_t child = 0;
  const int error =
      errors < 0 ? errno : spawn(command, environment_with(environment), ends[1], errors, child);
  close(ends[1]);
  if (error == 0) return std::make_unique<WorkerProcess>(OnlyStart{}, child, ends[0], errors);
  close(ends[0]);
  if (errors >= 0) close(errors);
  return cannot(error);
}

WorkerProcess::~WorkerProcess() {
  end();
  close(errors_);
}

int WorkerProcess::end() {
  int status = 0;
  if (child_ == 0) return status;
  close(channel_);  // an idle worker ends by itself
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  while (waitpid(child_, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) kill(child_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child_ = 0;
  return status;
}

std::string WorkerProcess::obituary() {
  const int status = end();
  std::string how;
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    how = name == nullptr ? fmt::format("died with signal {}", WTERMSIG(status))
                          : fmt::format("died with SIG{}", name);
  } else {
    how = fmt::format("ended with code {}", WEXITSTATUS(status));
  }
  const std::string line = last_line();
  return line.empty() ? how : how + ": " + line;
}

std::string WorkerProcess::last_line() const {
  const off_t size = lseek(errors_, 0, SEEK_END);
  std::string text(std::min<std::size_t>(size < 0 ? 0 : static_cast<std::size_t>(size), kept_errors), '\0');
  const ssize_t got = pread(errors_, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t newline = text.rfind('\n', end);
  const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(start, end - start + 1);
}

WorkerProcess::Outcome WorkerProcess::transfer(char* bytes, std::size_t size, bool incoming,
                                               Clock::time_point deadline) const {
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Outcome::TooSlow;
    pollfd waiting{channel_, static_cast<short>(incoming ? POLLIN : POLLOUT), 0};
    if (poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 1000))) <= 0) continue;
    const ssize_t moved = incoming ? recv(channel_, bytes, size, MSG_DONTWAIT)
                                   : ::send(channel_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR)) return Outcome::Gone;
    if (moved < 0) continue;
    bytes += moved;
    size -= static_cast<std::size_t>(moved);
  }
  return Outcome::Done;
}

WorkerProcess::Outcome WorkerProcess::send(std::span<const std::string_view> parts,
                                           Clock::time_point deadline) const {
  std::string head;
  append(head, static_cast<std::uint32_t>(parts.size()));
  for (const std::string_view part : parts) append(head, static_cast<std::uint64_t>(part.size()));
  Outcome outcome = transfer(head.data(), head.size(), false, deadline);
  for (const std::string_view part : parts)
    if (outcome == Outcome::Done)  // the bytes are only read
      outcome = transfer(const_cast<char*>(part.data()), part.size(), false, deadline);
  return outcome;
}

WorkerProcess::Outcome WorkerProcess::receive(std::vector<std::string>& parts,
                                              Clock::time_point deadline) const {
  std::uint32_t count = 0;
  Outcome outcome = transfer(reinterpret_cast<char*>(&count), sizeof count, true, deadline);
  if (outcome != Outcome::Done) return outcome;
  if (count == 0 || count > most_parts) return Outcome::Gone;
  std::vector<std::uint64_t> sizes(count);
  outcome = transfer(reinterpret_cast<char*>(sizes.data()), count * sizeof(std::uint64_t), true, deadline);
  parts.clear();
  for (const std::uint64_t size : sizes) {
    if (outcome != Outcome::Done) return outcome;
    if (size > largest_part) return Outcome::Gone;
    parts.emplace_back(size, '\0');
    outcome = transfer(parts.back().data(), parts.back().size(), true, deadline);
  }
  return outcome;
}

}  // namespace dycl::plugin
