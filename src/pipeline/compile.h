// SPDX-License-Identifier: Apache-2.0
// Compiles a model to an artifact, through every phase in order.
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
  // The backend of every sub-DNN, or "auto" or "auto:one,other" for the fastest of each. If it is empty, the
  // preferred backend is taken.
  std::string backend;
  // These rules choose a backend before `backend` does.
  std::vector<compile_subnets::PlacementRule> placement;
  SearchPaths search;
  // Backend → the vendor library that the user named.
  std::map<std::string, std::filesystem::path> vendor_libraries;
  // Whether to try each backend in a separate process first, to see if it survives.
  bool probe = false;
  // The folder for the answers of such trials; if it is empty, they are not kept.
  std::filesystem::path probe_cache;
  // Holds what was compiled before; if it is null, everything is compiled anew.
  DiskCache* cache = nullptr;
  // How many worker processes may compile at once; 0: one per core.
  int jobs = 0;
  int threads = 0;
  // The backends that the programs of this process share; if it is null, the compilation opens its own.
  BackendRegistry* backends = nullptr;
  // 1 for all passes; 0 for one sub-DNN per basic block.
  int optimize = 1;
  std::vector<std::string> disabled_passes;
  // Input → "1x3x32x32xf32", which fixes declared dims.
  std::map<std::string, std::string> input_types;
  // Symbol → its only size, which fixes it everywhere, or a range that each call checks.
  std::map<std::string, DimRange> dims;
  std::optional<Phase> stop_after;
  std::optional<Phase> dump_after;
  // How many operations unrolling one loop of the graph may leave.
  std::size_t unroll_operations = 64;
  // Called as the compilation advances; may be empty.
  std::function<void(const Progress&)> progress;
};

struct CompileOutcome {
  std::optional<VerifiedArtifact> artifact;  // is absent if the compilation stopped after a phase
  std::string dump;                          // the text of the graph after dump_after or stop_after
  std::vector<PhaseTiming> timings;
};

Result<CompileOutcome> compile_onnx_file(const std::filesystem::path& path, const CompileOptions& options);
// `folder` is where external data may lie; if it is empty, external data is refused.
Result<CompileOutcome> compile_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name, const CompileOptions& options);

// What a frontend makes of a model.
struct FrontendGraph {
  Hcfg graph;
  std::vector<AssumedFact> facts;
};

// Compiles a model of another language, which `rewrite` turns into a graph in the phase of that name. It
// reports how much is done so far, and what; how much there is in all is not known before.
using ReportWork = std::function<void(std::size_t done, std::string what)>;
using RewriteFunction = std::function<Result<FrontendGraph>(const ReportWork& report)>;
Result<CompileOutcome> compile_rewritten(const RewriteFunction& rewrite, const std::string& name,
                                         const CompileOptions& options);

}  // namespace dycl::pipeline
