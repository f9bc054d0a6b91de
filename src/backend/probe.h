// SPDX-License-Identifier: Apache-2.0
// Does a backend survive its first inference on this machine? Asked in a process of its own, because the
// answer may be death by an illegal instruction. Only the compile side and `dycl doctor` ask; the
// runtime never starts a process.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "backend/backend.h"

namespace dycl {

struct ProbeRequest {
  std::filesystem::path program;            // dycl-probe
  BackendOptions backend;                   // with `plugin` and, where it has one, `library` filled in
  std::chrono::milliseconds limit{120000};  // a backend may start a compiler of its own first
  std::filesystem::path cache;              // a folder for answers; empty: ask every time
};

struct ProbeReport {
  bool usable = false;
  std::string message;      // "openvino died with SIGILL in a first inference", or what it says of itself
  bool remembered = false;  // the answer came from the cache
};

// Fails only when the probe itself cannot be started. Answers are remembered by the identity of plugin
// and library (path, size, time), the CPU's features and the precision; a time-out is not remembered.
Result<ProbeReport> probe_backend(const ProbeRequest& request);

}  // namespace dycl
