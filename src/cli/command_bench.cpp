// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/artifact_summary.h"
#include "cli/command.h"
#include "cli/program_inputs.h"
#include "cli/program_loading.h"
#include "cli/sample_inputs.h"
#include "cli/timed_runs.h"
#include "runtime/session.h"
#include "runtime/trace.h"

namespace dycl::cli {
namespace {

constexpr const char* kBenchFooter =
    R"(A program whose branches depend on its input takes as long as the way that the input takes: give inputs
of each way, or let dycl make some up. Times of sub-DNNs are of further runs, which are traced and take longer.

Examples:
  dycl bench net.dycl --samples 8
  dycl bench net.dycl --input x=@easy.npy --threads 1
  dycl bench net.dycl --inputs in.npz --repeat 1000 --json -)";

struct BenchArguments : LoadArguments {
  InputArguments inputs;
  std::uint32_t samples = 4;
  std::size_t repeat = 100;
  std::string json;
};

// The runs on one set of inputs.
struct Measured {
  std::string name;    // "given", "sample 0"
  std::string raises;  // what the model raises on these inputs; the rest is empty then
  Timing timing;
  std::uint64_t instructions = 0;  // of one run
  std::uint64_t subnet_calls = 0;
};

using Values = std::vector<runtime::RuntimeValue>;

Result<std::vector<std::pair<std::string, Values>>> input_sets(const BenchArguments& arguments,
                                                               const HostPlan& plan) {
  std::vector<std::pair<std::string, Values>> sets;
  if (!arguments.inputs.inputs.empty() || !arguments.inputs.archive.empty()) {
    auto given = read_inputs(plan, arguments.inputs);
    if (!given) return failure_of(std::move(given));
    sets.emplace_back("given", std::move(*given));
    return sets;
  }
  for (std::uint32_t seed = 0; seed < arguments.samples; ++seed) {
    auto made = sample_inputs(plan, seed);
    if (!made) return failure_of(std::move(made));
    sets.emplace_back(fmt::format("sample {}", seed), std::move(*made));
  }
  return sets;
}

Result<Measured> measure(const std::shared_ptr<const runtime::LoadedProgram>& program,
                         const std::string& name, const Values& inputs, std::size_t repeat,
                         runtime::TraceRecorder& recorder) {
  runtime::RunSession session(program);
  Values outputs;
  Measured measured{name, "", {}};
  auto seconds = run_repeatedly(session, inputs, std::max<std::size_t>(repeat, 2), outputs);
  if (!seconds && seconds.error().blame == Blame::Model) {
    measured.raises = seconds.error().message;
    return measured;
  }
  if (!seconds) return failure_of(std::move(seconds));
  measured.timing = timing_of(*seconds);
  const runtime::RunStats stats = session.stats();
  measured.instructions = stats.instructions / (seconds->size() + 1);  // and one to warm up
  measured.subnet_calls = stats.subnet_calls / (seconds->size() + 1);
  session.set_trace(&recorder);
  auto traced = run_repeatedly(session, inputs, std::max<std::size_t>(repeat / 10, 2), outputs);
  session.set_trace(nullptr);
  if (!traced) return failure_of(std::move(traced));
  return measured;
}

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

std::string runs_table(const std::vector<Measured>& all) {
  std::string text =
      fmt::format("{:<12}{:>14}{:>14}{:>14}{:>16}\n", "inputs", "median", "p90", "p99", "sub-DNN calls");
  for (const Measured& measured : all)
    text += measured.raises.empty()
                ? fmt::format("{:<12}{:>14}{:>14}{:>14}{:>16}\n", measured.name,
                              microseconds(measured.timing.median), microseconds(measured.timing.p90),
                              microseconds(measured.timing.p99), measured.subnet_calls)
                : fmt::format("{:<12}  the model raises: {}\n", measured.name, measured.raises);
  return text;
}

// Where the time of the traced runs went: medians, because other processes may interrupt a run for long.
std::string subnets_table(const runtime::TraceRecorder& recorder, std::size_t runs) {
  const double whole = static_cast<double>(recorder.median_run().count()) * static_cast<double>(runs);
  std::string text;
  for (const runtime::SubnetTime& time : recorder.subnet_times()) {
    const auto each = static_cast<double>(time.median.count());
    text += fmt::format("{:<12}{:>14}{:>14}{:>12.1f} %\n", time.name, time.calls, microseconds(each * 1e-9),
                        100 * each * static_cast<double>(time.calls) / whole);
  }
  return text.empty()
             ? ""
             : fmt::format("\n{:<12}{:>14}{:>14}{:>14}\n", "sub-DNN", "calls", "each", "share") + text;
}

std::size_t traced_runs(const runtime::TraceRecorder& recorder) {
  return static_cast<std::size_t>(
      std::ranges::count(recorder.events(), runtime::TraceKind::Run, &runtime::TraceEvent::kind));
}

nlohmann::json bench_json(const std::vector<Measured>& all, const runtime::TraceRecorder& recorder) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Measured& measured : all)
    runs.push_back(
        {{"inputs", measured.name},
         {"raises", measured.raises},
         {"seconds",
          {{"median", measured.timing.median}, {"p90", measured.timing.p90}, {"p99", measured.timing.p99}}},
         {"instructions", measured.instructions},
         {"subnet_calls", measured.subnet_calls}});
  nlohmann::json subnets = nlohmann::json::array();
  for (const runtime::SubnetTime& time : recorder.subnet_times())
    subnets.push_back({{"name", time.name},
                       {"calls", time.calls},
                       {"seconds", static_cast<double>(time.median.count()) * 1e-9}});
  return {{"runs", runs}, {"subnets", subnets}};
}

Status bench(const BenchArguments& arguments, const Environment& environment, Reporter& reporter) {
  auto program = load_program(arguments, environment);
  if (!program) return failure_of(std::move(program));
  auto sets = input_sets(arguments, (*program)->artifact().plan);
  if (!sets) return failure_of(std::move(sets));
  reporter.verbose(one_line((*program)->artifact()));
  runtime::TraceRecorder recorder;
  std::vector<Measured> all;
  for (const auto& [name, inputs] : *sets) {
    auto measured = measure(*program, name, inputs, arguments.repeat, recorder);
    if (!measured) return failure_of(std::move(measured));
    all.push_back(std::move(*measured));
  }
  if (arguments.json != "-")
    std::cout << runs_table(all) << subnets_table(recorder, traced_runs(recorder)) << std::flush;
  return arguments.json.empty() ? Status() : write_json(bench_json(all, recorder), arguments.json);
}

void add_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("package", arguments.package, "The package to measure")->required()->type_name("PKG");
  add_repeatable(command, "--input", arguments.inputs.inputs, "Give one input, as for dycl run")
      ->type_name("NAME=VALUE");
  command.add_option("--inputs", arguments.inputs.archive, "Read inputs by name from an .npz file")
      ->type_name("FILE");
  command.add_option("--samples", arguments.samples, "Without inputs: make up so many sets of them")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--repeat", arguments.repeat, "Run each set N times after a warm-up")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str()
      ->type_name("N");
  add_load_options(command, arguments);
  command.add_option("--json", arguments.json, "Write the times as JSON (-: stdout)")->type_name("FILE");
}

}  // namespace

void add_bench_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App& command =
      *app.add_subcommand("bench", "Measure how long a .dycl package runs, and where the time goes");
  command.footer(kBenchFooter);
  add_options(command, *arguments);
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, &invocation](Reporter& reporter) {
      return bench(*arguments, invocation.environment, reporter);
    };
  });
}

}  // namespace dycl::cli
