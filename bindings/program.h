// SPDX-License-Identifier: Apache-2.0
// A loaded program with the sessions that Python's threads borrow from it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "runtime/decisions.h"
#include "runtime/session.h"

namespace dycl::python {

// The backends of the process: every program loaded through one Runtime shares their thread pools.
class Runtime {
 public:
  Runtime(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries)
      : paths_(paths), libraries_(libraries), registry_(std::move(paths), std::move(libraries)) {}

  [[nodiscard]] const SearchPaths& paths() const { return paths_; }
  [[nodiscard]] const std::map<std::string, std::filesystem::path>& libraries() const { return libraries_; }
  BackendRegistry& backends() { return registry_; }

 private:
  SearchPaths paths_;
  std::map<std::string, std::filesystem::path> libraries_;
  BackendRegistry registry_;
};

// LoadOptions::interrupted: Ctrl-C. The exception that it left behind is to be thrown by the caller.
bool signal_came();

class Program {
 public:
  explicit Program(std::shared_ptr<const runtime::LoadedProgram> loaded) : loaded_(std::move(loaded)) {
    if (!loaded_->states().empty()) stateful_ = std::make_unique<runtime::RunSession>(loaded_);
  }

  // One object per input, in order. Any number of threads may call at once. Gives the returned structure
  // as plain Python data (see tree_to_python; None: the program's outputs), the values, and the new contents
  // of inputs as (number, value).
  [[nodiscard]] nanobind::tuple run(const nanobind::list& inputs);
  // The same with the reads of tensors as (file, line, column, kind, value), and edge → count.
  [[nodiscard]] nanobind::tuple run_traced(const nanobind::list& inputs);
  void reset();  // states are what they were at first
  // `signature`: how a Python model is called (docs/package.md); empty for others. `verification`: to keep
  // with it, JSON; empty: what was loaded.
  void save(const std::filesystem::path& path, std::string signature, std::string verification) const;
  [[nodiscard]] runtime::RunStats stats() const;  // summed over sessions
  [[nodiscard]] const runtime::LoadedProgram& loaded() const { return *loaded_; }
  [[nodiscard]] std::shared_ptr<const runtime::LoadedProgram> shared() const { return loaded_; }

 private:
  class Borrowed;
  nanobind::tuple run_with(const nanobind::list& inputs, runtime::DecisionTrace* decisions);

  std::shared_ptr<const runtime::LoadedProgram> loaded_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<runtime::RunSession>> idle_;
  std::unique_ptr<runtime::RunSession> stateful_;  // the only session of a program with state
  runtime::RunStats finished_;                     // of all sessions, after each run
};

// (from, to, index) → count
nanobind::dict counted_edges(const std::map<runtime::TakenEdge, std::uint64_t>& counts);

void init_program(nanobind::module_& module);
void init_compile(nanobind::module_& module);
void init_verification(nanobind::module_& module);

}  // namespace dycl::python
