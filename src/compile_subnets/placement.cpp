// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace dycl::compile_subnets {
namespace {

constexpr std::string_view kAuto = "auto";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

// "model.py:40", the file without its folders.
std::string place_of(const SourceSpan& span) {
  const std::size_t slash = span.file.rfind('/');
  return fmt::format("{}:{}", span.file.substr(slash == std::string::npos ? 0 : slash + 1), span.line);
}

std::set<std::string> names_of(const Hcfg& graph, const subnet::SubnetInstance& subnet) {
  std::set<std::string> names{subnet.name, fmt::format("b{}", subnet.block.index())};
  const auto& step = std::get<SubnetStep>(graph.blocks[subnet.block.index()].steps[subnet.step]);
  for (const TensorOp& op : step.ops)
    for (const SourceSpan& span : graph.source_stack(source_of(op))) {  // where it is, and who called
      names.insert(place_of(span));
      names.insert(span.node);
    }
  return names;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return matches_glob(pattern.substr(1), text) || (!text.empty() && matches_glob(pattern, text.substr(1)));
  if (text.empty() || (pattern[0] != '?' && pattern[0] != text[0])) return false;
  return matches_glob(pattern.substr(1), text.substr(1));
}

Result<Placement> Placement::make(std::vector<PlacementRule> rules, const std::string& otherwise,
                                  std::vector<std::string> known) {
  Placement placement;
  for (const PlacementRule& rule : rules)
    if (rule.pattern.empty() || rule.backend.empty() || rule.backend.starts_with(kAuto))
      return fail(Blame::Usage, "backend.rule",
                  fmt::format("'{}={}' lacks a pattern or names no backend", rule.pattern, rule.backend), {},
                  "write a pattern and the name of one backend: s0=NAME");
  placement.rules_ = std::move(rules);
  placement.takes_any_ = otherwise == kAuto;
  if (otherwise.empty() && known.empty())
    return fail(Blame::Backend, "backend.not_installed", "there are no plugins to choose a backend from", {},
                "set DYCL_BACKEND_PATH to the folder of the plugins");
  if (otherwise == kAuto)
    placement.otherwise_ = std::move(known);
  else if (otherwise.starts_with("auto:"))
    placement.otherwise_ = split(std::string_view(otherwise).substr(kAuto.size() + 1));
  else
    placement.otherwise_ = {otherwise.empty() ? known.front() : otherwise};
  return placement;
}

std::vector<std::string> Placement::backends() const {
  std::vector<std::string> names = otherwise_;
  for (const PlacementRule& rule : rules_)
    if (std::ranges::find(names, rule.backend) == names.end()) names.push_back(rule.backend);
  return names;
}

std::vector<std::string> Placement::candidates(const Hcfg& graph,
                                               const subnet::SubnetInstance& subnet) const {
  if (rules_.empty()) return otherwise_;
  const std::set<std::string> names = names_of(graph, subnet);
  for (const PlacementRule& rule : rules_)
    if (std::ranges::any_of(names, [&](const auto& name) { return matches_glob(rule.pattern, name); }))
      return {rule.backend};
  return otherwise_;
}

bool Placement::is_optional(const std::string& backend) const {
  return takes_any_ && std::ranges::find(rules_, backend, &PlacementRule::backend) == rules_.end();
}

}  // namespace dycl::compile_subnets
