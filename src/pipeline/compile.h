// SPDX-License-Identifier: Apache-2.0
// From a model to an artifact, through every phase in order.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/discovery.h"
#include "base/dim_range.h"
#include "base/disk_cache.h"
#include "compile_subnets/placement.h"
#include "hcfg/hcfg.h"
#include "package/artifact.h"
#include "pipeline/phase.h"

namespace dycl {
class BackendRegistry;
}

namespace dycl::pipeline {

struct CompileOptions {
  std::string backend;  // or "auto", "auto:one,other": the fastest for each sub-DNN; empty: the preferred one
  std::vector<compile_subnets::PlacementRule> placement;  // before it
  SearchPaths search;
  std::map<std::string, std::filesystem::path> vendor_libraries;  // backend → explicit path
  bool probe = false;                 // first ask, in a process of its own, whether the backend survives
  std::filesystem::path probe_cache;  // folder for answers; empty: none
  DiskCache* cache = nullptr;         // of what was compiled before; null: everything is compiled anew
  int jobs = 0;  // compiling processes at once, of backends that compile in such; 0: one per core
  int threads = 0;
  BackendRegistry* backends = nullptr;  // shared with the process's programs; null: one of its own
  int optimize = 1;                     // 0: one sub-DNN per basic block, no passes
  std::vector<std::string> disabled_passes;
  std::map<std::string, std::string> input_types;  // input → "1x3x32x32xf32": pins declared dims
  std::map<std::string, DimRange> dims;  // symbol → one size: pins it everywhere; more: checked at each call
  std::optional<Phase> stop_after;
  std::optional<Phase> dump_after;
  std::size_t unroll_limit = 64;                  // operations that unrolling one loop may add, see docs
  std::function<void(const Progress&)> progress;  // may be empty
};

struct CompileOutcome {
  std::optional<VerifiedArtifact> artifact;  // absent when stopped early
  std::string dump;                          // text of the graph after dump_after or stop_after
  std::vector<PhaseTiming> timings;
};

Result<CompileOutcome> compile_onnx_file(const std::filesystem::path& path, const CompileOptions& options);
// `folder` is where external data may lie; empty: external data is refused.
Result<CompileOutcome> compile_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name, const CompileOptions& options);

// What a frontend makes of a model.
struct FrontendGraph {
  Hcfg graph;
  std::vector<AssumedFact> facts;
};

// A program of another language, which `rewrite` turns into a graph in the phase of that name. It tells how
// much is done so far, and of what: nobody knows before how much it will be.
using ReportWork = std::function<void(std::size_t done, std::string what)>;
using RewriteFunction = std::function<Result<FrontendGraph>(const ReportWork& report)>;
Result<CompileOutcome> compile_rewritten(const RewriteFunction& rewrite, const std::string& name,
                                         const CompileOptions& options);

}  // namespace dycl::pipeline
