// SPDX-License-Identifier: Apache-2.0
#include "cli/artifact_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/program_outputs.h"
#include "package/plan_flow.h"
#include "package/result_tree_json.h"
#include "runtime/named_outputs.h"

namespace dycl::cli {
namespace {

std::size_t blob_bytes(const SubnetArtifact& subnet) {
  std::size_t bytes = 0;
  for (const auto& [backend, blob] : subnet.blobs) bytes += blob.size();
  return bytes;
}

std::string backends_text(const Artifact& artifact) {
  std::vector<std::string> names;
  for (const auto& [name, stamp] : artifact.backends) names.push_back(name + " " + stamp.version);
  return names.empty() ? "no backend" : fmt::format("{}", fmt::join(names, ", "));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string ports_text(const HostPlan& plan, const std::vector<PlanPort>& ports, std::string_view indent) {
  std::string text;
  for (const PlanPort& port : ports)
    text += fmt::format("{}{}: {}{}\n", indent, port.name, type_text(plan, port.type),
                        port.optional ? " (may be left out)" : "");
  return text;
}

// What each input is beside a value that the caller gives.
std::string inputs_text(const HostPlan& plan) {
  const std::set<std::uint32_t> written = written_inputs(plan);
  std::string text = "inputs:\n";
  for (std::uint32_t index = 0; index < plan.inputs.size(); ++index) {
    std::string line = ports_text(plan, {plan.inputs[index]}, "  ");
    line.pop_back();
    text += line + (plan.inputs[index].is_state() ? " (state, kept by a session)"
                    : written.contains(index)     ? " (written to)"
                                                  : "");
    text += '\n';
  }
  return text;
}

nlohmann::json ports_json(const HostPlan& plan, const std::vector<PlanPort>& ports) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlanPort& port : ports) {
    list.push_back({{"name", port.name}, {"type", type_text(plan, port.type)}, {"optional", port.optional}});
    if (port.is_state()) list.back()["state"] = true;
  }
  return list;
}

// The returns of a program that gives back structures: sites may differ.
std::vector<const PlanInstruction*> structured_returns(const HostPlan& plan) {
  std::vector<const PlanInstruction*> returns;
  for (const PlanInstruction& instruction : plan.code)
    if (const auto* taken = std::get_if<PlanReturn>(&instruction.operation); taken && taken->tree)
      returns.push_back(&instruction);
  return returns;
}

std::string position_text(const SourceSpan& source) {
  return source.file.empty() ? "" : fmt::format(" at {}:{}", source.file, source.line);
}

std::string constants_text(const ResultNode& tree) {
  std::string text;
  for (const runtime::NamedOutput& leaf : runtime::named_constants(tree))
    text += "    " + value_text(leaf.name, leaf.value);
  return text;
}

std::string outputs_text(const HostPlan& plan) {
  const auto returns = structured_returns(plan);
  if (returns.empty()) return "outputs:\n" + ports_text(plan, plan.outputs, "  ");
  std::string text = "outputs:\n";
  for (const PlanInstruction* instruction : returns) {
    const auto& taken = std::get<PlanReturn>(instruction->operation);
    text += fmt::format("  return{}\n{}{}", position_text(instruction->source),
                        ports_text(plan, runtime::returned_ports(plan, taken), "    "),
                        constants_text(*taken.tree));
  }
  return text;
}

nlohmann::json returns_json(const HostPlan& plan) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlanInstruction* instruction : structured_returns(plan)) {
    const auto& taken = std::get<PlanReturn>(instruction->operation);
    list.push_back({{"file", instruction->source.file},
                    {"line", instruction->source.line},
                    {"outputs", ports_json(plan, runtime::returned_ports(plan, taken))},
                    {"structure", nlohmann::json::parse(nested_json(*taken.tree))}});
  }
  return list;
}

nlohmann::json subnets_json(const Artifact& artifact) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlanSubnet& subnet : artifact.plan.subnets) {
    nlohmann::json entry = {{"name", subnet.name}, {"hash", subnet.hash}, {"backend", subnet.backend}};
    entry["guards"] = subnet.guards.size();
    if (const auto found = artifact.subnets.find(subnet.hash); found != artifact.subnets.end()) {
      entry["graph_bytes"] = found->second.graph.size();
      entry["blob_bytes"] = blob_bytes(found->second);
      entry["weights"] = found->second.weights;
    }
    if (const auto choice = artifact.choices.find(subnet.hash); choice != artifact.choices.end())
      entry["choice"] = {{"nanoseconds", choice->second.nanoseconds}, {"refused", choice->second.refused}};
    list.push_back(std::move(entry));
  }
  return list;
}

// " (of onnxruntime 8.1 us, openvino 9.3 us; tvm cannot)"
std::string choice_text(const SubnetChoice& choice) {
  std::vector<std::string> times;
  std::string unable;
  for (const auto& [backend, nanoseconds] : choice.nanoseconds)
    times.push_back(fmt::format("{} {:.1f} us", backend, static_cast<double>(nanoseconds) / 1e3));
  for (const auto& [backend, reason] : choice.refused) unable += fmt::format("; {} cannot", backend);
  return fmt::format(" (of {}{})", fmt::join(times, ", "), unable);
}

// Small weights are part of the graph; some backends compile nothing ahead.
std::string parts_text(const SubnetArtifact& subnet) {
  std::string text = ", graph " + size_text(subnet.graph.size());
  if (!subnet.weights.empty())
    text += fmt::format(" and {} beside it", plural(subnet.weights.size(), "weight"));
  if (!subnet.blobs.empty()) text += ", compiled " + size_text(blob_bytes(subnet));
  return text;
}

std::string subnets_text(const Artifact& artifact) {
  std::string text;
  for (const PlanSubnet& subnet : artifact.plan.subnets) {
    text += fmt::format("  {} {:.12} on {}", subnet.name, subnet.hash, subnet.backend);
    if (const auto found = artifact.subnets.find(subnet.hash); found != artifact.subnets.end())
      text += parts_text(found->second);
    if (!subnet.guards.empty()) text += ", " + plural(subnet.guards.size(), "guard");
    if (const auto choice = artifact.choices.find(subnet.hash); choice != artifact.choices.end())
      text += choice_text(choice->second);
    text += "\n";
  }
  return text;
}

// What the program holds for.
std::string facts_text(const Artifact& artifact) {
  std::string text = artifact.facts.empty() ? "" : "compiled for a process in which:\n";
  for (const auto& [question, answer, where] : artifact.facts)
    text += fmt::format("  {} is {}{}\n", question, answer, where.empty() ? "" : ", asked at " + where);
  return text;
}

nlohmann::json facts_json(const Artifact& artifact) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [question, answer, where] : artifact.facts)
    list.push_back({{"question", question}, {"answer", answer}, {"where", where}});
  return list;
}

}  // namespace

std::string one_line(const Artifact& artifact) {
  return fmt::format("{}, {} ({} distinct), {} of weights, {}",
                     plural(blocks_of(artifact.plan).size(), "block"),
                     plural(artifact.plan.subnets.size(), "sub-DNN"), artifact.subnets.size(),
                     size_text(weight_bytes(artifact)), backends_text(artifact));
}

std::string artifact_text(const Artifact& artifact) {
  std::string text = fmt::format("made by {} from {}, precision {}, target {}\n{}\n", artifact.producer,
                                 artifact.origin, artifact.precision, artifact.target, one_line(artifact));
  text += inputs_text(artifact.plan) + outputs_text(artifact.plan);
  text += fmt::format("host plan: {}, {}, {}\n", plural(artifact.plan.code.size(), "instruction"),
                      plural(artifact.plan.slots.size(), "slot"),
                      plural(artifact.plan.constants.size(), "constant"));
  return text + facts_text(artifact) + "sub-DNNs:\n" + subnets_text(artifact);
}

nlohmann::json artifact_json(const Artifact& artifact) {
  nlohmann::json backends = nlohmann::json::object();
  for (const auto& [name, stamp] : artifact.backends)
    backends[name] = {{"version", stamp.version}, {"deterministic_blob", stamp.deterministic_blob}};
  nlohmann::json weights = nlohmann::json::object();
  for (const auto& [name, tensor] : artifact.weights)
    weights[name] = {
        {"dtype", name_of(tensor->dtype)}, {"dims", tensor->dims}, {"bytes", tensor->bytes.size()}};
  return {{"producer", artifact.producer},
          {"origin", artifact.origin},
          {"precision", artifact.precision},
          {"target", artifact.target},
          {"backends", backends},
          {"inputs", ports_json(artifact.plan, artifact.plan.inputs)},
          {"outputs", ports_json(artifact.plan, artifact.plan.outputs)},
          {"returns", returns_json(artifact.plan)},
          {"blocks", blocks_of(artifact.plan).size()},
          {"instructions", artifact.plan.code.size()},
          {"facts", facts_json(artifact)},
          {"subnets", subnets_json(artifact)},
          {"distinct_subnets", artifact.subnets.size()},
          {"weights", weights},
          {"weight_bytes", weight_bytes(artifact)}};
}

}  // namespace dycl::cli
