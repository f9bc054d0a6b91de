// SPDX-License-Identifier: Apache-2.0
#include "hcfg/operator_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/operator_traits.h"

namespace dycl {
namespace {

struct OperatorVersion {
  std::string_view domain;
  std::string_view name;
  std::int64_t since;
  bool extends_previous;            // everything the version before could say means the same here
  std::string_view new_attributes;  // separated by spaces
  int previous_inputs;              // how many inputs and outputs the version before takes at most
  int previous_outputs;
};

#include "operator_versions.inc"  // generated: kNewestOpset, kOperatorVersions (sorted)

// All versions of one operator, oldest first.
std::span<const OperatorVersion> versions_of(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = "";
  const auto order = [](const OperatorVersion& version) { return std::pair(version.domain, version.name); };
  const auto found = std::ranges::equal_range(kOperatorVersions, std::pair(domain, name), {}, order);
  return {found.begin(), found.end()};
}

bool uses_nothing_new(const OnnxOp& op, const OperatorVersion& version) {
  const auto count = [](const std::vector<ValueId>& values) {
    const auto last =
        std::ranges::find_if(values.rbegin(), values.rend(), [](ValueId id) { return id.valid(); });
    return static_cast<int>(values.rend() - last);
  };
  if (count(op.inputs) > version.previous_inputs || count(op.outputs) > version.previous_outputs)
    return false;
  const std::string listed = fmt::format(" {} ", version.new_attributes);
  return std::ranges::none_of(op.attributes, [&](const auto& attribute) {
    return listed.find(fmt::format(" {} ", attribute.first)) != std::string::npos;
  });
}

Failure no_common_opset(const Hcfg& graph, const OnnxOp& op, std::int64_t newest_known) {
  const OpsetRange range = opsets_of(op);
  if (range.lowest > newest_known)
    return fail(Blame::Backend, "backend.opset_too_new",
                fmt::format("{} needs operator set {}, the backend knows {} at most", op.name, range.lowest,
                            newest_known),
                graph.source(op.source), "compile for another backend or update it");
  return fail(Blame::Unsupported, "onnx.mixed_opsets",
              fmt::format("{} version {} cannot share a graph with operators of another operator set",
                          op.name, op.version),
              graph.source(op.source), "convert the model and its functions to one operator set");
}

}  // namespace

std::int64_t newest_opset() { return kNewestOpset; }

std::optional<std::int64_t> since_version(std::string_view domain, std::string_view name,
                                          std::int64_t opset) {
  std::optional<std::int64_t> since;
  for (const OperatorVersion& version : versions_of(domain, name))
    if (version.since <= opset) since = version.since;
  return since;
}

bool is_control_flow(const OnnxOp& op) { return is_of_onnx(op) && has_trait(op.name, Trait::ControlFlow); }

OpsetRange opsets_of(const OnnxOp& op) {
  const auto versions = versions_of(op.domain, op.name);
  const auto own = std::ranges::find(versions, op.version, &OperatorVersion::since);
  if (own == versions.end()) return {op.version, op.version};
  OpsetRange range{op.version, std::numeric_limits<std::int64_t>::max()};
  for (auto next = own + 1; next != versions.end(); ++next)
    if (!next->extends_previous) {
      range.highest = next->since - 1;
      break;
    }
  for (auto version = own;
       version != versions.begin() && version->extends_previous && uses_nothing_new(op, *version);)
    range.lowest = (--version)->since;
  return range;
}

Result<std::vector<OpsetImport>> common_opsets(const Hcfg& graph, std::span<const OnnxOp* const> ops,
                                               std::int64_t newest_known) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  struct Choice {
    std::int64_t lowest = 1;          // no operation allows less
    std::int64_t highest = kNoLimit;  // no operation allows more
    std::int64_t written = 1;         // what the model's author had
  };
  std::map<std::string, Choice> choices{{"", {1, newest_known, 1}}};
  for (const OnnxOp* op : ops) {
    const OpsetRange range = opsets_of(*op);
    Choice& choice = choices[op->domain];
    if (range.highest < choice.lowest || range.lowest > choice.highest)
      return no_common_opset(graph, *op, newest_known);
    choice.lowest = std::max(choice.lowest, range.lowest);
    choice.highest = std::min(choice.highest, range.highest);
    choice.written = std::max(choice.written, op->version);
  }
  std::vector<OpsetImport> imports;
  for (const auto& [domain, choice] : choices)
    imports.push_back({domain, std::clamp(choice.written, choice.lowest, choice.highest)});
  return imports;
}

}  // namespace dycl
