// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/registry.h"
#include "backend/usable.h"
#include "cli/command.h"
#include "cli/cpu_facts.h"

namespace dycl::cli {
namespace {

struct Finding {
  std::string backend;
  bool usable = false;
  std::string version;
  std::string library;
  std::vector<std::string> notes;
  std::string problem;
  std::string hint;
};

Finding unusable(const std::string& name, const Diagnostic& why) {
  return {name, false, "", "", {}, why.message, why.hint};
}

Finding examine(const std::string& name, const SearchPaths& search, BackendRegistry& registry) {
  auto options = find_backend(name, search);
  if (!options) return unusable(name, options.error());
  // Without a cache: who asks the doctor wants to know how things stand now.
  if (Status survived = require_usable(*options, search, {}); !survived)
    return unusable(name, survived.error());
  const auto backend = registry.open(std::move(*options));
  if (!backend) return unusable(name, backend.error());
  const BackendDescription& facts = (*backend)->description();
  return {name, true, facts.version, facts.library, facts.notes, "", ""};
}

nlohmann::json finding_json(const Finding& finding) {
  return {{"name", finding.backend},    {"usable", finding.usable}, {"version", finding.version},
          {"library", finding.library}, {"notes", finding.notes},   {"problem", finding.problem},
          {"hint", finding.hint}};
}

std::string finding_text(const Finding& finding) {
  std::string text;
  if (finding.usable)
    text = fmt::format("[ok] {} {} ({})\n", finding.backend, finding.version, finding.library);
  else
    text = fmt::format("[--] {}: {}\n     {}\n", finding.backend, finding.problem, finding.hint);
  for (const std::string& note : finding.notes) text += fmt::format("     note: {}\n", note);
  return text;
}

std::string cpu_text(const CpuFacts& cpu) {
  std::string text =
      fmt::format("cpu: {}, {} cores, {}\n", cpu.model, cpu.cores, fmt::join(cpu.features, " "));
  for (const std::string& note : cpu.notes) text += fmt::format("     note: {}\n", note);
  return text;
}

nlohmann::json report_json(const CpuFacts& cpu, const std::vector<Finding>& findings) {
  nlohmann::json backends = nlohmann::json::array();
  for (const Finding& finding : findings) backends.push_back(finding_json(finding));
  return {
      {"dycl", DYCL_VERSION},
      {"cpu", {{"model", cpu.model}, {"cores", cpu.cores}, {"features", cpu.features}, {"notes", cpu.notes}}},
      {"backends", backends}};
}

Status examine_all(bool json, const Environment& environment) {
  const CpuFacts cpu = read_cpu_facts();
  BackendRegistry registry(environment.search);
  std::vector<Finding> findings;
  for (const std::string& name : known_backend_names(environment.search))
    findings.push_back(examine(name, environment.search, registry));
  if (json) {
    if (Status written = write_json(report_json(cpu, findings), "-"); !written) return written;
  } else {
    std::cout << "dycl " << DYCL_VERSION << "\n" << cpu_text(cpu);
    for (const Finding& finding : findings) std::cout << finding_text(finding);
    std::cout << std::flush;
  }
  for (const Finding& finding : findings)
    if (finding.usable) return {};
  return fail(Blame::Backend, "backend.none_usable", "no backend is usable", {},
              findings.empty() ? "reinstall dycl: its plugins are missing" : findings.front().hint);
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command =
      *app.add_subcommand("doctor", "Check the processor and the backends, and say what to install");
  command.footer("The exit code is 4 if no backend is usable.");
  command.add_flag("--json", *json, "Print the findings as JSON");
  add_verbosity_options(command, invocation);
  command.callback([json, &invocation] {
    invocation.action = [json, &invocation](Reporter&) { return examine_all(*json, invocation.environment); };
  });
}

}  // namespace dycl::cli
