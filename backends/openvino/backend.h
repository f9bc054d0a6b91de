// SPDX-License-Identifier: Apache-2.0
// One opened OpenVINO with its settings.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/scoped_handle.h"
#include "common/open_options.h"
#include "ov_c_api.h"

namespace dycl::openvino {

class OvBackend {
 public:
  static Result<std::unique_ptr<OvBackend>> open(const plugin::OpenOptions& options);

  [[nodiscard]] const OvApi& api() const { return api_; }
  [[nodiscard]] plugin::Description describe() const;

  [[nodiscard]] Result<ScopedHandle<OvModel>> read(const std::string& onnx) const;
  [[nodiscard]] Result<ScopedHandle<OvCompiledModel>> compile(const std::string& onnx) const;
  // Only compiling tells whether OpenVINO can run a graph. The result is kept for the `compile` that
  // usually follows.
  [[nodiscard]] Status try_compile(const std::string& onnx) const;
  [[nodiscard]] Result<ScopedHandle<OvCompiledModel>> import(std::string_view blob) const;
  [[nodiscard]] Result<std::string> export_blob(const OvCompiledModel& compiled) const;

 private:
  OvBackend(const OvApi& api, plugin::OpenOptions options, ScopedHandle<OvCore> core)
      : api_(api), options_(std::move(options)), core_(std::move(core)) {}
  Status configure();
  [[nodiscard]] Status check_element_types() const;
  [[nodiscard]] Result<ScopedHandle<OvCompiledModel>> compile_anew(const std::string& onnx) const;
  // A compiled model in another precision than asked for is never run.
  [[nodiscard]] Status check_precision(const OvCompiledModel& compiled) const;

  OvApi api_;
  plugin::OpenOptions options_;
  ScopedHandle<OvCore> core_;
  std::string version_;
  std::string default_precision_;  // what OpenVINO would have chosen

  struct Tried {
    std::string onnx;
    ScopedHandle<OvCompiledModel> compiled;
  };
  mutable std::mutex mutex_;
  mutable std::optional<Tried> tried_;  // guarded by mutex_
};

// Says whether the process is ending. Then OpenVINO's own globals may be gone, and what a global variable of
// the process still holds is left to the system, because freeing it would crash.
bool process_is_ending();

// Returns success, or an error of `doing` and OpenVINO's own message.
Status to_status(const OvApi& api, OvStatus status, std::string_view doing);

}  // namespace dycl::openvino
