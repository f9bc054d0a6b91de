// SPDX-License-Identifier: Apache-2.0
// What compilations share, whichever frontend the model comes through.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "pipeline/compile.h"
#include "program.h"

namespace dycl::python {

struct CompileRequest {
  std::string backend;
  std::vector<std::pair<std::string, std::string>> placement;  // pattern → backend, before it
  int optimize = 1;
  std::vector<std::string> disabled_passes;
  std::map<std::string, std::string> input_types;
  std::map<std::string, std::string> dims;  // "8" or "1..8"
  std::uint64_t step_limit = 0;
  int threads = 0;
  int jobs = 0;
  std::shared_ptr<DiskCache> cache;  // null: nothing is remembered
  std::string stop_after;            // a phase, or empty
  std::string dump_after;
};

// What became of a request.
struct Compiled {
  std::unique_ptr<Program> program;                     // null when stopped early
  std::string dump;                                     // the graph's text after the phase that was named
  std::vector<std::pair<std::string, double>> seconds;  // of each phase, in order
};

// Calls a Python function during a compilation that runs without the GIL. What it raises is kept and
// raised when the compilation is over.
class ProgressCallback {
 public:
  explicit ProgressCallback(nanobind::object function) : function_(std::move(function)) {}
  void operator()(const pipeline::Progress& progress);
  [[nodiscard]] bool has_failed() const { return failure_.has_value(); }
  void rethrow();

 private:
  nanobind::object function_;
  std::optional<nanobind::python_error> failure_;
};

pipeline::CompileOptions options_of(Runtime& runtime, const CompileRequest& request,
                                    ProgressCallback& callback);

using CompileFunction =
    std::function<Result<pipeline::CompileOutcome>(const pipeline::CompileOptions&, const ProgressCallback&)>;

// Runs `compile` without the GIL and loads what it gives.
Compiled compile_with(Runtime& runtime, const CompileRequest& request, nanobind::object progress,
                      const CompileFunction& compile);

}  // namespace dycl::python
