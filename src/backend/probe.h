// SPDX-License-Identifier: Apache-2.0
// Finds out whether a backend survives its first inference on this machine. A separate process tries it,
// because an illegal instruction may end that process. Only the compiler and `dycl doctor` do this; the
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
  std::chrono::milliseconds limit{120000};  // is long, because a backend may start a compiler first
  std::filesystem::path cache;              // a folder for answers; if empty, each call tries again
};

struct ProbeReport {
  bool usable = false;
  std::string message;      // "openvino died with SIGILL in a first inference", or what it says of itself
  bool remembered = false;  // whether the answer came from the cache
};

// Fails only if the probe itself cannot be started. It keeps answers by the identity of plugin and library
// (path, size, time), the CPU's features and the precision; it does not keep a time-out.
Result<ProbeReport> probe_backend(const ProbeRequest& request);

}  // namespace dycl
