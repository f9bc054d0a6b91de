// SPDX-License-Identifier: Apache-2.0
#include "optimize/pass_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "hcfg/verify.h"
#include "optimize/border_to_host.h"
#include "optimize/fold_constants.h"
#include "optimize/group_subnets.h"
#include "optimize/merge_blocks.h"
#include "optimize/refine_types.h"
#include "optimize/remove_dead_code.h"
#include "optimize/remove_identities.h"
#include "optimize/same_graph.h"
#include "optimize/thread_jumps.h"
#include "optimize/unroll_loops.h"

namespace dycl::optimize {
namespace {

enum class Stage {
  Simplify,  // repeated together until nothing changes
  Place,     // once, afterwards: what runs where
};

struct ListedPass {
  PassDescription description;
  PassFunction function;
  Stage stage;
  bool at_level_zero;
};

constexpr std::array kPasses{
    ListedPass{{"remove_identities", "Uses the original instead of copies, also of block parameters."},
               remove_identities,
               Stage::Simplify,
               false},
    ListedPass{{"fold_constants", "Computes at compile time what is known at compile time."},
               fold_constants,
               Stage::Simplify,
               false},
    ListedPass{{"thread_jumps", "Leads edges past blocks that only pass them on or decide what is known."},
               thread_jumps,
               Stage::Simplify,
               false},
    ListedPass{{"merge_blocks", "Joins a block with its only successor when it is the only way there."},
               merge_blocks,
               Stage::Simplify,
               false},
    ListedPass{{"remove_dead_code", "Drops blocks nobody reaches and values nobody uses."},
               remove_dead_code,
               Stage::Simplify,
               false},
    ListedPass{{"refine_types", "Infers types again where decided branches had made them vague."},
               refine_types,
               Stage::Simplify,
               false},
    ListedPass{{"unroll_loops", "Replaces a short loop with a known trip count by copies of its body."},
               unroll_loops,
               Stage::Simplify,
               false},
    ListedPass{{"group_subnets", "Gathers the tensor operations of a block into as few sub-DNNs as can be."},
               group_subnets,
               Stage::Place,
               true},
    ListedPass{{"border_to_host", "Turns reshapes at the border of a sub-DNN into host metadata."},
               border_to_host,
               Stage::Place,
               false},
};

// Far more than the nesting of loops ever asks for; a guard against two passes that undo each other.
constexpr int kMaxRounds = 32;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status check_names(std::span<const std::string> disabled) {
  for (const std::string& name : disabled) {
    const auto named = [&](const ListedPass& pass) { return pass.description.name == name; };
    if (std::ranges::any_of(kPasses, named)) continue;
    std::vector<std::string_view> known;
    for (const ListedPass& pass : kPasses) known.push_back(pass.description.name);
    return fail(Blame::Usage, "optimize.unknown_pass", fmt::format("there is no pass named '{}'", name), {},
                fmt::format("the passes are {}", fmt::join(known, ", ")));
  }
  return {};
}

// The one way a pass is run: left out if asked, timed, compared, verified, reported.
class PassRunner {
 public:
  PassRunner(Hcfg graph, const OptimizeOptions& options, const PassContext& context,
             std::vector<PassReport>* reports)
      : graph_(std::move(graph)), options_(options), context_(context), reports_(reports) {}

  Status run(std::size_t index, int round) {
    const ListedPass& pass = kPasses[index];
    if (!enabled(pass) || settled_at_[index] == version_) return {};
    const auto start = Clock::now();
    Result<Hcfg> after = pass.function(graph_, context_);
    if (!after) return failure_of(std::move(after));
    const bool changed = !same_graph(graph_, *after);
    graph_ = std::move(*after);
    if (changed)
      ++version_;
    else
      settled_at_[index] = version_;
    if (reports_ != nullptr)
      reports_->push_back({pass.description.name, round, seconds_since(start), changed});
    return options_.verify_each ? check(pass) : Status{};
  }

  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] Hcfg take() { return std::move(graph_); }

 private:
  [[nodiscard]] bool enabled(const ListedPass& pass) const {
    if (options_.level <= 0 && !pass.at_level_zero) return false;
    return std::ranges::find(options_.disabled, pass.description.name) == options_.disabled.end();
  }

  [[nodiscard]] Status check(const ListedPass& pass) const {
    Status legal = verify(graph_);
    if (!legal) legal.error().notes.push_back(fmt::format("after the pass {}", pass.description.name));
    return legal;
  }

  Hcfg graph_;
  const OptimizeOptions& options_;
  const PassContext& context_;
  std::vector<PassReport>* reports_;
  int version_ = 0;  // counts changes; a pass that saw this version and left it alone need not run again
  std::array<std::optional<int>, kPasses.size()> settled_at_{};
};

Status run_stage(PassRunner& runner, Stage stage, int round) {
  for (std::size_t index = 0; index < kPasses.size(); ++index) {
    if (kPasses[index].stage != stage) continue;
    if (Status done = runner.run(index, round); !done) return done;
  }
  return {};
}

}  // namespace

std::vector<PassDescription> all_passes() {
  std::vector<PassDescription> passes;
  for (const ListedPass& pass : kPasses) passes.push_back(pass.description);
  return passes;
}

Result<Hcfg> optimize(Hcfg graph, const OptimizeOptions& options, PassContext& context,
                      std::vector<PassReport>* reports) {
  if (Status known = check_names(options.disabled); !known) return failure_of(std::move(known));
  context.level = options.level;
  PassRunner runner(std::move(graph), options, context, reports);
  for (int round = 0; round < kMaxRounds; ++round) {
    const int before = runner.version();
    if (Status done = run_stage(runner, Stage::Simplify, round); !done) return failure_of(std::move(done));
    if (runner.version() == before) break;
  }
  if (Status done = run_stage(runner, Stage::Place, 0); !done) return failure_of(std::move(done));
  return runner.take();
}

}  // namespace dycl::optimize
