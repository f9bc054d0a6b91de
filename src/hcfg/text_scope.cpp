// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_scope.h"

#include <fmt/format.h>

#include <charconv>

namespace dycl {

Result<Type> TextScope::type() {
  return cursor_.type([&](std::string_view name) {
    const auto [found, added] = symbols_.try_emplace(std::string(name));
    if (added) found->second = graph_.add_symbol(std::string(name));
    return found->second;
  });
}

Result<SymbolId> TextScope::known_symbol() {
  const std::size_t position = cursor_.position();
  auto name = cursor_.word("a symbol like n");
  if (!name) return failure_of(std::move(name));
  const auto found = symbols_.find(std::string(*name));
  if (found == symbols_.end())
    return cursor_.error_at(position, fmt::format("no input has the size {}", *name));
  return found->second;
}

ValueId TextScope::mention(std::string_view name, std::size_t position) {
  const auto [found, added] = values_.try_emplace(std::string(name));
  if (added) {
    found->second = graph_.add_value(StringType{}, std::string(name));
    first_mention_.push_back(position);
    defined_.push_back(false);
  }
  return found->second;
}

Result<ValueId> TextScope::use() {
  const std::size_t position = cursor_.position();
  auto name = cursor_.value_name();
  if (!name) return failure_of(std::move(name));
  return mention(*name, position);
}

Result<ValueId> TextScope::use_or_omitted() {
  if (cursor_.take_keyword("_")) return ValueId();
  return use();
}

Result<ValueId> TextScope::definition() {
  const std::size_t position = cursor_.position();
  auto id = use();
  if (!id) return id;
  if (defined_[id->index()])
    return cursor_.error_at(position, fmt::format("%{} is defined twice", graph_.value(*id).name));
  defined_[id->index()] = true;
  if (auto status = cursor_.expect(":"); !status) return failure_of(std::move(status));
  auto value_type = type();
  if (!value_type) return failure_of(std::move(value_type));
  graph_.values[id->index()].type = *std::move(value_type);
  return id;
}

Result<std::vector<ValueId>> TextScope::arguments(bool may_omit) {
  std::vector<ValueId> ids;
  if (auto status = cursor_.expect("("); !status) return failure_of(std::move(status));
  if (cursor_.take(")")) return ids;
  do {
    auto id = may_omit ? use_or_omitted() : use();
    if (!id) return failure_of(std::move(id));
    ids.push_back(*id);
  } while (cursor_.take(","));
  if (auto status = cursor_.expect(")"); !status) return failure_of(std::move(status));
  return ids;
}

Result<Edge> TextScope::edge() {
  const std::size_t position = cursor_.position();
  auto label = cursor_.word("a block like b0");
  if (!label) return failure_of(std::move(label));
  const std::string_view digits = label->substr(1);
  std::uint32_t index = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (!label->starts_with('b') || problem != std::errc() || end != digits.data() + digits.size())
    return cursor_.error_at(position, fmt::format("expected a block like b0, found '{}'", *label));
  auto arguments = this->arguments(false);
  if (!arguments) return failure_of(std::move(arguments));
  targets_.emplace_back(BlockId(index), position);
  return Edge{BlockId(index), *std::move(arguments)};
}

Status TextScope::finish() {
  for (std::size_t value = 0; value < defined_.size(); ++value)
    if (!defined_[value])
      return cursor_.error_at(first_mention_[value],
                              fmt::format("%{} is used and never defined", graph_.values[value].name));
  for (const auto& [target, position] : targets_)
    if (target.index() >= graph_.blocks.size())
      return cursor_.error_at(position, fmt::format("there is no block b{}", target.value));
  return {};
}

}  // namespace dycl
