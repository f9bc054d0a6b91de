// SPDX-License-Identifier: Apache-2.0
// The structs behind the opaque handles of dycl.h.
#pragma once

#include <dycl/dycl.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/registry.h"
#include "base/result.h"
#include "runtime/program.h"
#include "runtime/session.h"
#include "runtime/value.h"

struct dycl_status {
  dycl::Diagnostic diagnostic;
  std::string text;
};

struct dycl_runtime {
  // Programs share the registry, so that a runtime may be freed first.
  std::shared_ptr<dycl::BackendRegistry> backends;
  dycl::SearchPaths paths;
  std::map<std::string, std::filesystem::path> libraries;
  std::mutex mutex;  // guards `backends` and `libraries`
  int threads = 0;
};

struct dycl_program {
  std::shared_ptr<const dycl::runtime::LoadedProgram> program;
  std::vector<dycl_port> inputs;
  std::vector<dycl_port> outputs;
  // The memory that the ports point to.
  std::vector<std::string> texts;
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<std::vector<const char*>> symbols;
  std::vector<std::vector<std::int64_t>> smallest;
  std::vector<std::vector<std::int64_t>> largest;
};

struct dycl_kept_output {
  std::string name;
  std::string type;
  dycl::runtime::RuntimeValue value;
};

struct dycl_written_input {
  std::size_t input = 0;
  dycl::runtime::RuntimeValue value;
};

struct dycl_session {
  dycl::runtime::RunSession session;
  std::vector<dycl::runtime::RuntimeValue> inputs;  // kept between runs for their memory
  std::vector<dycl::runtime::RuntimeValue> outputs;
  std::vector<dycl_kept_output> kept = {};  // the outputs of the last dycl_session_run_kept
  std::string structure = {};
  std::vector<dycl_written_input> written = {};  // the inputs that the last run wrote to
};

struct dycl_value {
  dycl::runtime::RuntimeValue value;
};

namespace dycl::runtime {

dycl_status* make_status(Diagnostic diagnostic) noexcept;
dycl_status* out_of_memory_status() noexcept;

// Runs the body of one C function: a failed Status or an exception becomes a status object.
template <class Body>
dycl_status* guarded(const Body& body) noexcept {
  try {
    Status done = body();
    return done ? nullptr : make_status(std::move(done.error()));
  } catch (const std::bad_alloc&) {
    return out_of_memory_status();
  } catch (const std::exception& error) {
    return make_status({Blame::Internal, "run.exception", error.what(), {}, "please report this", {}, {}});
  }
}

inline Failure null_argument(std::string_view name) {
  return fail(Blame::Usage, "run.null_argument", "the argument '" + std::string(name) + "' is null");
}

// A caller built against an older header passes a shorter struct; the rest keeps its defaults.
template <class Options>
Result<Options> options_of(const Options* given, Options defaults) {
  if (given == nullptr) return defaults;
  if (given->struct_size < sizeof given->struct_size || given->struct_size > sizeof(Options))
    return fail(Blame::Usage, "run.options_size", "struct_size is not that of the options struct", {},
                "set struct_size to sizeof the struct");
  std::memcpy(&defaults, given, given->struct_size);
  return defaults;
}

Result<LoadOptions> load_options_of(const dycl_runtime& runtime, const dycl_load_options* options);

// Returns the registry of the runtime, which is made when it is first needed.
std::shared_ptr<BackendRegistry> backends_of(dycl_runtime& runtime);

// Hands a new value to the caller.
inline void give_value(RuntimeValue value, dycl_value** out) {
  *out = std::make_unique<dycl_value>(dycl_value{std::move(value)}).release();
}

}  // namespace dycl::runtime
