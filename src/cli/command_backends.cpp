// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/registry.h"
#include "cli/command.h"

namespace dycl::cli {
namespace {

std::string_view name_of(BlobKind kind) {
  switch (kind) {
    case BlobKind::None: return "none";
    case BlobKind::Data: return "data";
    case BlobKind::Native: return "native";
  }
  return "native";
}

nlohmann::json description_json(const Backend& backend) {
  const BackendDescription& description = backend.description();
  return {{"version", description.version},
          {"library", description.library},
          {"opset", description.opset},
          {"ir_version", description.ir_version},
          {"dtypes", description.dtypes},
          {"notes", description.notes},
          {"deterministic_blob", description.deterministic_blob},
          {"blob", name_of(backend.traits().blob)},
          {"weight_copies", description.weight_copies}};
}

nlohmann::json entry_json(const std::string& name, const Result<std::shared_ptr<const Backend>>& backend) {
  nlohmann::json entry = {{"name", name}, {"usable", backend.has_value()}};
  if (backend) {
    entry.update(description_json(**backend));
  } else {
    entry["problem"] = backend.error().message;
    entry["hint"] = backend.error().hint;
  }
  return entry;
}

// "f64: openvino computes f64 as f32", one line per reason.
std::map<std::string, std::string> refused_dtypes(const BackendDescription& description) {
  constexpr std::string_view kVerdict = "refused: ";
  std::map<std::string, std::string> dtypes_by_reason;
  for (const auto& [dtype, verdict] : description.dtypes) {
    if (verdict == "yes") continue;
    std::string& dtypes =
        dtypes_by_reason[verdict.starts_with(kVerdict) ? verdict.substr(kVerdict.size()) : verdict];
    dtypes += (dtypes.empty() ? "" : " ") + dtype;
  }
  return dtypes_by_reason;
}

std::string entry_text(const std::string& name, const Result<std::shared_ptr<const Backend>>& backend) {
  if (!backend)
    return fmt::format("{:<14} not usable: {}\n{:<14} hint: {}\n", name, backend.error().message, "",
                       backend.error().hint);
  const BackendDescription& description = (*backend)->description();
  std::string text = fmt::format("{:<14} {}, ONNX opset {}, {}\n", name, description.version,
                                 description.opset, description.library);
  for (const auto& [reason, dtypes] : refused_dtypes(description))
    text += fmt::format("{:<14} refuses {}: {}\n", "", dtypes, reason);
  return text;
}

Status list_backends(bool json, const Environment& environment) {
  BackendRegistry registry(environment.search);
  nlohmann::json document = nlohmann::json::array();
  for (const std::string& name : known_backend_names(environment.search)) {
    BackendOptions options;
    options.name = name;
    const auto backend = registry.open(std::move(options));
    if (json)
      document.push_back(entry_json(name, backend));
    else
      std::cout << entry_text(name, backend);
  }
  if (json) return write_json(document, "-");
  std::cout << std::flush;
  return {};
}

}  // namespace

void add_backends_command(CLI::App& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command =
      *app.add_subcommand("backends", "List the backends with version, library and what each refuses");
  command.add_flag("--json", *json, "Print the list as JSON");
  add_verbosity_options(command, invocation);
  command.callback([json, &invocation] {
    invocation.action = [json, &invocation](Reporter&) {
      return list_backends(*json, invocation.environment);
    };
  });
}

}  // namespace dycl::cli
