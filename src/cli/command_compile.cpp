// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/artifact_summary.h"
#include "cli/command.h"
#include "cli/tensor_argument.h"
#include "package/package_file.h"
#include "pipeline/compile.h"

namespace dycl::cli {
namespace {

constexpr const char* kCompileFooter =
    R"(Phases, in order: import_onnx (rewrite for a Python model), hcfg, optimize, legalize, subnet,
compile_subnets, host_gen.

Examples:
  dycl compile model.onnx                          writes model.dycl
  dycl compile model.onnx -o net.dycl --backend openvino --dim batch=8
  dycl compile model.onnx --backend auto           takes the fastest backend for each sub-DNN
  dycl compile model.onnx --backend 's0=openvino' --backend onnxruntime
  dycl compile model.onnx --dim batch=1..8         takes any batch from 1 to 8; every run checks it
  dycl compile model.onnx --input x=1x3x224x224xf32
  dycl compile model.onnx --stop-after optimize    prints the graph, writes nothing)";

struct CompileArguments {
  std::string model;
  std::string output;
  std::string json;
  std::string stop_after;
  std::string dump_after;
  std::vector<std::string> inputs;
  std::vector<std::string> dims;
  std::vector<std::string> libraries;
  std::vector<std::string> backends;
  bool no_cache = false;
  pipeline::CompileOptions options;
};

// "package.module:name" or "file.py:Name".
bool names_python_model(const std::string& text) {
  const auto colon = text.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
         text.find('/', colon) == std::string::npos;
}

Result<std::optional<pipeline::Phase>> parse_phase(const std::string& name) {
  if (name.empty()) return std::optional<pipeline::Phase>();
  auto phase = pipeline::find_phase(name);
  if (!phase) return failure_of(std::move(phase));
  return std::optional(*phase);
}

Result<std::pair<std::string, DimRange>> parse_dim(const std::string& text) {
  auto parts = split_argument(text);
  if (!parts)
    return fail(Blame::Usage, "argument.dim",
                fmt::format("--dim takes NAME=SIZE or NAME=LO..HI, not '{}'", text), {},
                "leave --dim out for a dim that may have any size");
  auto range = parse_dim_range(parts->second);
  if (!range) return failure_of(std::move(range));
  return std::pair(parts->first, *range);
}

Status read_pins(CompileArguments& arguments) {
  for (const std::string& text : arguments.inputs) {
    auto parts = split_argument(text);
    if (!parts) return failure_of(std::move(parts));
    auto spec = parse_tensor_spec(parts->second);
    if (!spec) return failure_of(std::move(spec));
    arguments.options.input_types[parts->first] = parts->second;
  }
  for (const std::string& text : arguments.dims) {
    auto dim = parse_dim(text);
    if (!dim) return failure_of(std::move(dim));
    if (!arguments.options.dims.insert(*dim).second)
      return fail(Blame::Usage, "argument.dim", fmt::format("--dim {} is given twice", dim->first));
  }
  return {};
}

Status read_placement(CompileArguments& arguments) {
  for (const std::string& text : arguments.backends) {
    if (text.empty()) return fail(Blame::Usage, "backend.unknown", "the name of a backend is empty");
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos)
      arguments.options.backend = text;
    else
      arguments.options.placement.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return {};
}

Status read_options(CompileArguments& arguments, const Environment& environment) {
  if (Status placed = read_placement(arguments); !placed) return placed;
  if (Status pins = read_pins(arguments); !pins) return pins;
  auto stop = parse_phase(arguments.stop_after);
  if (!stop) return failure_of(std::move(stop));
  auto dump = parse_phase(arguments.dump_after);
  if (!dump) return failure_of(std::move(dump));
  auto libraries = parse_libraries(arguments.libraries, environment.search);
  if (!libraries) return failure_of(std::move(libraries));
  arguments.options.stop_after = *stop;
  arguments.options.dump_after = *dump;
  arguments.options.vendor_libraries = std::move(*libraries);
  arguments.options.search = environment.search;
  arguments.options.probe = true;
  arguments.options.probe_cache = environment.cache;
  return {};
}

nlohmann::json timings_json(const pipeline::CompileOutcome& outcome) {
  nlohmann::json timings = nlohmann::json::object();
  for (const pipeline::PhaseTiming& timing : outcome.timings)
    timings[std::string(pipeline::name_of(timing.phase))] = timing.seconds;
  return timings;
}

void report_timings(const pipeline::CompileOutcome& outcome, Reporter& reporter) {
  for (const pipeline::PhaseTiming& timing : outcome.timings)
    reporter.verbose(fmt::format("{:<16} {:8.1f} ms", pipeline::name_of(timing.phase), timing.seconds * 1e3));
}

void report_cache(const DiskCache& cache, Reporter& reporter) {
  for (const auto& [kind, counts] : cache.counts())
    reporter.verbose(fmt::format("{:<16} {} remembered, {} new", kind, counts.found, counts.missed));
}

std::string output_of(const CompileArguments& arguments) {
  if (!arguments.output.empty()) return arguments.output;
  return std::filesystem::path(arguments.model).stem().string() + ".dycl";
}

Status write_outcome(const CompileArguments& arguments, const pipeline::CompileOutcome& outcome,
                     Reporter& reporter) {
  const std::string output = output_of(arguments);
  if (Status written = write_package(*outcome.artifact, output); !written) return written;
  const double seconds =
      std::accumulate(outcome.timings.begin(), outcome.timings.end(), 0.0,
                      [](double sum, const pipeline::PhaseTiming& timing) { return sum + timing.seconds; });
  reporter.note(
      fmt::format("wrote {}: {}, {:.2f} s", file_text(output), one_line(**outcome.artifact), seconds));
  if (arguments.json.empty()) return {};
  nlohmann::json document = artifact_json(**outcome.artifact);
  document["package"] = output;
  if (const auto bytes = size_of_file(output)) document["package_bytes"] = *bytes;
  document["seconds"] = timings_json(outcome);
  return write_json(document, arguments.json);
}

Status compile(CompileArguments& arguments, const Environment& environment, Reporter& reporter) {
  if (Status read = read_options(arguments, environment); !read) return read;
  std::error_code error;
  if (!std::filesystem::exists(arguments.model, error))
    return fail(Blame::Usage, "file.missing", fmt::format("there is no file {}", arguments.model), {},
                names_python_model(arguments.model) ? kNeedsPython : "");
  if (!arguments.options.stop_after)
    if (Status place = check_package_place(output_of(arguments)); !place) return place;
  arguments.options.progress = [&reporter](const pipeline::Progress& progress) {
    reporter.progress(progress);
  };
  DiskCache cache(compiled_folder(environment));
  if (!arguments.no_cache && !environment.cache.empty()) arguments.options.cache = &cache;
  auto outcome = pipeline::compile_onnx_file(arguments.model, arguments.options);
  reporter.finish_progress();
  if (!outcome) return failure_of(std::move(outcome));
  report_timings(*outcome, reporter);
  report_cache(cache, reporter);
  if (!outcome->dump.empty()) std::cout << outcome->dump << std::flush;
  if (arguments.options.stop_after) return {};
  return write_outcome(arguments, *outcome, reporter);
}

void add_pinning_options(CLI::App& command, CompileArguments& arguments) {
  add_repeatable(command, "--input", arguments.inputs, "Fix the shape and type of an input")
      ->type_name("NAME=SHAPExDTYPE");
  add_repeatable(command, "--dim", arguments.dims, "Fix a symbolic dim everywhere, or keep it within limits")
      ->type_name("NAME=SIZE|LO..HI");
}

void add_phase_options(CLI::App& command, CompileArguments& arguments) {
  command.add_option("--stop-after", arguments.stop_after, "Print the graph after this phase and stop")
      ->type_name("PHASE");
  command.add_option("--dump-after", arguments.dump_after, "Print the graph after this phase and go on")
      ->type_name("PHASE");
  command
      .add_option("--optimize", arguments.options.optimize, "0: one sub-DNN per basic block; 1: all passes")
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
  add_repeatable(command, "--disable-pass", arguments.options.disabled_passes, "Leave out an optimizer pass")
      ->type_name("NAME");
}

}  // namespace

void add_compile_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App& command = *app.add_subcommand("compile", "Compile a model into a .dycl package");
  command.footer(kCompileFooter);
  command.add_option("model", arguments->model, "The model: an .onnx file")->required()->type_name("MODEL");
  command.add_option("-o,--output", arguments->output, "The package to write (default: the model's name)")
      ->type_name("FILE");
  add_repeatable(
      command, "--backend", arguments->backends,
      "Compile the sub-DNNs with this backend (default: the first that dycl backends lists); auto takes the "
      "fastest for each; PATTERN=NAME is for the sub-DNNs of that name, block (b2) or node")
      ->type_name("[PATTERN=]NAME");
  add_repeatable(command, "--library", arguments->libraries, "Use this vendor library for a backend")
      ->type_name("BACKEND=PATH");
  add_pinning_options(command, *arguments);
  add_phase_options(command, *arguments);
  command.add_option("--threads", arguments->options.threads, "Threads of the backend; 0: one per core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      .add_option("--jobs", arguments->options.jobs,
                  "How many worker processes may compile at once; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_flag("--no-cache", arguments->no_cache,
                   "Compile everything anew and leave the cache alone (dycl cache shows what it holds)");
  command.add_option("--json", arguments->json, "Write a summary as JSON (-: stdout)")->type_name("FILE");
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, &invocation](Reporter& reporter) {
      return compile(*arguments, invocation.environment, reporter);
    };
  });
}

}  // namespace dycl::cli
