// SPDX-License-Identifier: Apache-2.0
#include "emit/emit.h"

#include <algorithm>
#include <filesystem>

#include "base/attribute.h"
#include "emit/names.h"
#include "emit/program_text.h"
#include "emit/project_text.h"
#include "emit/slots.h"
#include "emit/support_files.h"

namespace dycl::emit {
namespace {

// A text of C ends at its first zero.
Status check_messages(const HostPlan& plan) {
  const auto has_zero = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  for (const PlanInstruction& instruction : plan.code) {
    const auto* raise = std::get_if<PlanRaise>(&instruction.operation);
    const auto* host = std::get_if<PlanHost>(&instruction.operation);
    const bool is_check = host != nullptr && host->op == HostOp::Check;
    if ((raise != nullptr && has_zero(raise->format)) ||
        (is_check && has_zero(attribute_or(host->attributes, "message", std::string()))))
      return unsupported("write a message with a zero character, where texts of C end", instruction.source,
                         "raise with another message");
  }
  return {};
}

// Each sub-DNN is called at one place, whose types the tables hold.
Status check_calls(const HostPlan& plan) {
  std::vector<int> calls(plan.subnets.size(), 0);
  for (const PlanInstruction& instruction : plan.code)
    if (const auto* call = std::get_if<PlanCall>(&instruction.operation)) ++calls[call->subnet];
  const auto odd = std::ranges::find_if(calls, [](int count) { return count != 1; });
  if (odd == calls.end()) return {};
  const PlanSubnet& subnet = plan.subnets[static_cast<std::size_t>(odd - calls.begin())];
  return unsupported("write a plan that calls the sub-DNN '" + subnet.name + "' " + std::to_string(*odd) +
                     " times: each has one place");
}

Status check_written(const HostPlan& plan) {
  for (const std::uint32_t input : written_inputs_of_caller(plan))
    if (plan.inputs[input].type.tensor() == nullptr)
      return unsupported(
          "write a model that changes its input '" + plan.inputs[input].name + "', which is no tensor", {},
          "return what has changed instead");
  return {};
}

// Two programs of one process must not share the names of what is copied into both.
std::string in_namespace(std::string text, const std::string& name) {
  const std::string from = "dycl::";
  for (const std::string room : {"host_rules", "emitted"})
    for (std::size_t at = text.find(from + room); at != std::string::npos;
         at = text.find(from + room, at + 1))
      text.replace(at, from.size(), name + "_support::");
  return text;
}

}  // namespace

Result<std::vector<EmittedFile>> emit_program(const Artifact& artifact, const EmitOptions& options) {
  const HostPlan& plan = artifact.plan;
  const std::string& name = options.name;
  if (Status known = check_slots(plan); !known) return failure_of(std::move(known));
  if (Status callable = check_calls(plan); !callable) return failure_of(std::move(callable));
  if (Status sayable = check_messages(plan); !sayable) return failure_of(std::move(sayable));
  if (Status writable = check_written(plan); !writable) return failure_of(std::move(writable));
  auto results = results_of(plan, name + "_view");
  if (!results) return failure_of(std::move(results));
  Names names = name_all(plan, name);
  PlanFlow flow = flow_of(plan);
  MemoryPlan memory = plan_memory(plan, flow);
  const ProgramParts parts{artifact,
                           plan,
                           std::move(flow),
                           std::move(memory),
                           std::move(*results),
                           std::move(names.slots),
                           std::move(names.subnets),
                           std::move(names.sizes),
                           written_inputs_of_caller(plan),
                           name,
                           options.embed};
  auto body = write_body(parts);
  if (!body) return failure_of(std::move(body));
  std::vector<EmittedFile> files{{"include/" + name + ".h", header_text(parts)},
                                 {"include/" + name + ".hpp", class_text(parts)},
                                 {"src/" + name + ".cpp", source_text(parts, *body)},
                                 {"CMakeLists.txt", build_text(parts)},
                                 {"README.md", readme_text(parts)},
                                 {"example/main.c", example_text(parts)},
                                 {"test/main.cpp", test_text(parts)}};
  if (options.embed) files.push_back({"src/package.S", package_text(parts)});
  for (const SupportFile& file : support_files())
    files.push_back({"support/" + std::string(file.path), in_namespace(std::string(file.text), name)});
  return files;
}

std::string program_name(const std::string& package) {
  return as_program_name(std::filesystem::path(package).stem().string());
}

}  // namespace dycl::emit
