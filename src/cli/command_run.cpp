// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/artifact_summary.h"
#include "cli/command.h"
#include "cli/npz.h"
#include "cli/program_inputs.h"
#include "cli/program_loading.h"
#include "cli/program_outputs.h"
#include "cli/timed_runs.h"
#include "package/result_tree_json.h"
#include "runtime/named_outputs.h"
#include "runtime/session.h"
#include "runtime/trace.h"

namespace dycl::cli {
namespace {

constexpr const char* kRunFooter = R"(Inputs:
  x=1x3x32x32xf32      zeros             n=i64=5              a scalar
  v=3xf32=1,2,3        three values      x=2x2xf32=0.5        0.5 in every element
  x=@x.npy             a numpy file      s=[@a.npy,@b.npy]    a sequence
  o=none               an empty optional

Without --output, dycl prints the outputs and abbreviates long arrays.

Examples:
  dycl run net.dycl --input x=@x.npy --output out.npz
  dycl run net.dycl --inputs in.npz --repeat 1000)";

struct RunArguments : LoadArguments {
  InputArguments inputs;
  std::string output;
  std::string trace;
  std::string json;
  std::size_t repeat = 1;
};

Status write_outputs(const RunArguments& arguments, const std::vector<runtime::NamedOutput>& outputs,
                     Reporter& reporter) {
  NamedTensors tensors;
  for (const runtime::NamedOutput& output : outputs) {
    if (!arguments.output.empty())
      append_tensors(output.name, output.value, tensors);
    else if (arguments.json != "-")
      std::cout << value_text(output.name, output.value);
  }
  std::cout << std::flush;
  if (arguments.output.empty()) return {};
  if (Status written = write_npz_file(arguments.output, tensors); !written) return written;
  reporter.note(fmt::format("wrote {} ({} arrays)", arguments.output, tensors.size()));
  return {};
}

nlohmann::json run_json(const runtime::RunSession& session, const std::vector<runtime::NamedOutput>& outputs,
                        const std::vector<double>& seconds) {
  const Timing timing = timing_of(seconds);
  const runtime::RunStats stats = session.stats();
  nlohmann::json document = {
      {"outputs", outputs_json(outputs)},
      {"runs", seconds.size()},
      {"seconds", {{"median", timing.median}, {"p90", timing.p90}, {"p99", timing.p99}}},
      {"instructions", stats.instructions},
      {"subnet_calls", stats.subnet_calls},
      {"host_ops", stats.host_ops}};
  if (const ResultTree& tree = session.last_return()->tree)
    document["structure"] = nlohmann::json::parse(nested_json(*tree));
  return document;
}

Status finish(const RunArguments& arguments, const runtime::RunSession& session,
              const std::vector<runtime::RuntimeValue>& values, const std::vector<double>& seconds,
              Reporter& reporter) {
  const HostPlan& plan = session.program().artifact().plan;
  std::vector<runtime::NamedOutput> outputs = runtime::named_outputs(plan, *session.last_return(), values);
  const auto written_inputs = session.written_inputs();  // new contents of these are the last values
  std::set<std::string> names;                           // a result may be called `written`
  for (const runtime::NamedOutput& output : outputs) names.insert(output.name);
  for (std::size_t index = 0; index < written_inputs.size(); ++index)
    outputs.push_back({take_unique_name("written." + plan.inputs[written_inputs[index]].name, names),
                       values[values.size() - written_inputs.size() + index]});
  if (Status written = write_outputs(arguments, outputs, reporter); !written) return written;
  if (arguments.repeat > 1) {
    const Timing timing = timing_of(seconds);
    reporter.note(fmt::format("{} runs: median {:.3f} ms, p90 {:.3f} ms, p99 {:.3f} ms", seconds.size(),
                              timing.median * 1e3, timing.p90 * 1e3, timing.p99 * 1e3));
  }
  if (arguments.json.empty()) return {};
  return write_json(run_json(session, outputs, seconds), arguments.json);
}

Status run(const RunArguments& arguments, const Environment& environment, Reporter& reporter) {
  auto program = load_program(arguments, environment);
  if (!program) return failure_of(std::move(program));
  reporter.verbose("loaded " + one_line((*program)->artifact()));
  auto inputs = read_inputs((*program)->artifact().plan, arguments.inputs);
  if (!inputs) return failure_of(std::move(inputs));
  runtime::RunSession session(*program);
  runtime::TraceRecorder recorder;
  if (!arguments.trace.empty()) session.set_trace(&recorder);
  std::vector<runtime::RuntimeValue> outputs;
  auto seconds = run_repeatedly(session, *inputs, arguments.repeat, outputs);
  // The trace matters most if the run failed, so it is written in that case, too.
  if (!arguments.trace.empty())
    if (Status written = recorder.write(arguments.trace); !written) return written;
  if (!seconds) return failure_of(std::move(seconds));
  return finish(arguments, session, outputs, *seconds, reporter);
}

void add_limits(CLI::App& command, RunArguments& arguments) {
  command.add_option("--repeat", arguments.repeat, "Run N times after a warm-up and print the times")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  command
      .add_option("--step-limit", arguments.load.step_limit,
                  "Stop a run after N host instructions; 0: no limit")
      ->capture_default_str()
      ->type_name("N");
  add_load_options(command, arguments);
}

}  // namespace

void add_run_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = *app.add_subcommand("run", "Run a .dycl package");
  command.footer(kRunFooter);
  command.add_option("package", arguments->package, "The package to run")->required()->type_name("PKG");
  add_repeatable(command, "--input", arguments->inputs.inputs, "Give one input, see below")
      ->type_name("NAME=VALUE");
  command.add_option("--inputs", arguments->inputs.archive, "Read inputs by name from an .npz file")
      ->type_name("FILE");
  command.add_option("--output", arguments->output, "Write the outputs to an .npz file")->type_name("FILE");
  command.add_option("--trace", arguments->trace, "Write a Chrome trace of the run")->type_name("FILE");
  command.add_option("--json", arguments->json, "Write times and counts as JSON (-: stdout)")
      ->type_name("FILE");
  add_limits(command, *arguments);
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, &invocation](Reporter& reporter) {
      return run(*arguments, invocation.environment, reporter);
    };
  });
}

}  // namespace dycl::cli
