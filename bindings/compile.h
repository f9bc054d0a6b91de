// SPDX-License-Identifier: Apache-2.0
// What compilations share, whichever frontend the model comes through.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
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
};

// Calls a Python function during a compilation that runs without the GIL. What it raises is kept and
// raised when the compilation is over.
class ProgressCallback {
 public:
  explicit ProgressCallback(nanobind::object function) : function_(std::move(function)) {}
  void operator()(const pipeline::Progress& progress);
  void rethrow();

 private:
  nanobind::object function_;
  std::optional<nanobind::python_error> failure_;
};

pipeline::CompileOptions options_of(Runtime& runtime, const CompileRequest& request,
                                    ProgressCallback& callback);

// Runs `compile` without the GIL and loads what it gives.
template <class Compile>
std::unique_ptr<Program> compile_with(Runtime& runtime, const CompileRequest& request,
                                      nanobind::object progress, const Compile& compile) {
  ProgressCallback callback(std::move(progress));
  const pipeline::CompileOptions options = options_of(runtime, request, callback);
  std::unique_ptr<Program> program;
  {
    const nanobind::gil_scoped_release released;
    pipeline::CompileOutcome outcome = value_or_throw(compile(options));
    program = std::make_unique<Program>(value_or_throw(
        runtime::LoadedProgram::load(std::move(outcome.artifact), runtime.backends(),
                                     {request.step_limit, request.threads, signal_came, true})));
  }
  callback.rethrow();
  return program;
}

void init_rewrite(nanobind::module_& module);

}  // namespace dycl::python
