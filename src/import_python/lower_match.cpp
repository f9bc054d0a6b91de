// SPDX-License-Identifier: Apache-2.0
// match: patterns are tests in order; names are bound only when the whole pattern fits.
#include <algorithm>

#include "import_python/lowering.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

namespace {

bool is_wildcard(Node pattern) {
  return pattern.kind() == NodeKind::MatchAs && pattern.text("name").empty() &&
         !pattern.child("pattern").present();
}

bool is_star_wildcard(Node pattern) {
  return pattern.kind() == NodeKind::MatchStar && pattern.text("name").empty();
}

}  // namespace

void Lowering::lower_match(Node node) {
  // A copy: a case may bind the name of the subject.
  RegisterId subject = lower(node.child("subject"));
  if (!builder_.is_temporary(subject)) subject = builder_.copy(subject);
  const BlockId end = builder_.new_block();
  for (const Node each : node.children("cases")) {
    const BlockId next = builder_.new_block();
    Captures captures;
    match(each.child("pattern"), subject, next, captures);
    for (const auto& [name, value] : captures) write_name(name, value);
    if (const Node guard = each.child("guard"); guard.present()) {
      const BlockId body = builder_.new_block();
      lower_condition(guard, body, next);
      builder_.start(body);
    }
    lower_body(each.children("body"));
    builder_.jump(end);
    builder_.start(next);
  }
  builder_.jump(end);
  builder_.start(end);
}

void Lowering::go_on_if(RegisterId condition, BlockId otherwise) {
  const BlockId next = builder_.new_block();
  builder_.branch(condition, next, otherwise);
  builder_.start(next);
}

void Lowering::match(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures) {
  const At at(*this, pattern);
  switch (pattern.kind()) {
    case NodeKind::MatchValue:
      return go_on_if(compare_once("Eq", subject, lower(pattern.child("value"))), otherwise);
    case NodeKind::MatchSingleton:
      return go_on_if(compare_once("Is", subject, builder_.constant(pattern.value_of("value"))), otherwise);
    case NodeKind::MatchSequence: return match_sequence(pattern, subject, otherwise, captures);
    case NodeKind::MatchMapping: return match_mapping(pattern, subject, otherwise, captures);
    case NodeKind::MatchClass: return match_class(pattern, subject, otherwise, captures);
    case NodeKind::MatchOr: return match_or(pattern, subject, otherwise, captures);
    case NodeKind::MatchAs:
    case NodeKind::MatchStar:
      if (const Node inner = pattern.child("pattern"); inner.present())
        match(inner, subject, otherwise, captures);
      if (const std::string name = pattern.text("name"); !name.empty()) {
        captures.emplace_back(mangled(name), subject);
      }
      return;
    default: refuse(pattern, "the pattern " + std::string(pattern.type_name()), "use if and isinstance");
  }
}

// Every alternative binds the same names: each gets one register that all of them write.
void Lowering::match_or(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures) {
  const std::vector<Node> alternatives = pattern.children("patterns");
  const BlockId fits = builder_.new_block();
  std::map<std::string, RegisterId> shared;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const bool last = i + 1 == alternatives.size();
    const BlockId next = last ? otherwise : builder_.new_block();
    Captures mine;
    match(alternatives[i], subject, next, mine);
    for (const auto& [name, value] : mine) {
      if (!shared.contains(name)) {
        shared[name] = builder_.temporary();
        captures.emplace_back(name, shared[name]);
      }
      builder_.move(shared[name], value);
    }
    builder_.jump(fits);
    if (!last) builder_.start(next);
  }
  builder_.start(fits);
}

void Lowering::match_sequence(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures) {
  const std::vector<Node> patterns = pattern.children("patterns");
  const auto found = std::ranges::find(patterns, NodeKind::MatchStar, &Node::kind);
  const auto star = static_cast<std::size_t>(found - patterns.begin());
  const bool has_star = star < patterns.size();
  go_on_if(builder_.emit(Op::MatchSequence, {subject}), otherwise);
  const std::size_t least = patterns.size() - (has_star ? 1 : 0);
  if (!has_star || least > 0) {
    const RegisterId length = builder_.emit(Op::Length, {subject});
    const RegisterId wanted = builder_.constant(nb::int_(least));
    go_on_if(compare_once(has_star ? "GtE" : "Eq", length, wanted), otherwise);
  }
  match_elements(patterns, star, subject, otherwise, captures);
}

// As CPython: unpacks, unless nothing or only what lies before and behind `*_` is looked at.
void Lowering::match_elements(const std::vector<Node>& patterns, std::size_t star, RegisterId subject,
                              BlockId otherwise, Captures& captures) {
  const auto ignored = [](Node each) { return is_wildcard(each) || is_star_wildcard(each); };
  if (std::ranges::all_of(patterns, ignored)) return;
  if (star == patterns.size() || !is_star_wildcard(patterns[star])) {
    Instruction instruction{.op = Op::Unpack, .operands = {subject}, .index = kNoIndex};
    if (star < patterns.size()) instruction.index = static_cast<std::uint32_t>(star);
    for (std::size_t i = 0; i < patterns.size(); ++i) instruction.results.push_back(builder_.temporary());
    const std::vector<RegisterId> elements = instruction.results;
    builder_.emit_into({}, std::move(instruction));
    for (std::size_t i = 0; i < patterns.size(); ++i) match(patterns[i], elements[i], otherwise, captures);
    return;
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (ignored(patterns[i])) continue;
    RegisterId index = builder_.constant(nb::int_(i < star ? i : patterns.size() - i));
    if (i > star) {
      const RegisterId length = builder_.emit(Op::Length, {subject});
      index = builder_.emit(
          Instruction{.op = Op::Binary, .operands = {length, index}, .operation = Operation::Subtract});
    }
    match(patterns[i], builder_.emit(Op::GetItem, {subject, index}), otherwise, captures);
  }
}

void Lowering::match_mapping(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures) {
  const std::vector<Node> keys = pattern.children("keys");
  const std::string rest = pattern.text("rest");
  go_on_if(builder_.emit(Op::MatchMapping, {subject}), otherwise);
  if (keys.empty() && rest.empty()) return;
  if (!keys.empty()) {
    const RegisterId length = builder_.emit(Op::Length, {subject});
    go_on_if(compare_once("GtE", length, builder_.constant(nb::int_(keys.size()))), otherwise);
  }
  const std::vector<RegisterId> key_values = lower_all(keys);
  const RegisterId key_tuple = builder_.emit(Op::BuildTuple, key_values);
  const RegisterId values = builder_.emit(Op::MatchKeys, {subject, key_tuple});
  go_on_if(compare_once("IsNot", values, none()), otherwise);
  match_parts(pattern.children("patterns"), values, otherwise, captures);
  if (rest.empty()) return;
  const RegisterId remaining = builder_.emit(Op::BuildDict, {});
  builder_.effect(Op::DictUpdate, {remaining, subject});
  for (const RegisterId key : key_values) builder_.effect(Op::DeleteItem, {remaining, key});
  captures.emplace_back(mangled(rest), remaining);
}

void Lowering::match_class(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures) {
  const RegisterId type = lower(pattern.child("cls"));
  std::vector<Node> patterns = pattern.children("patterns");
  Instruction instruction{.op = Op::MatchClass,
                          .operands = {subject, type},
                          .index = static_cast<std::uint32_t>(patterns.size()),
                          .names = pattern.texts("kwd_attrs")};
  const RegisterId parts = builder_.emit(std::move(instruction));
  go_on_if(compare_once("IsNot", parts, none()), otherwise);
  std::ranges::copy(pattern.children("kwd_patterns"), std::back_inserter(patterns));
  match_parts(patterns, parts, otherwise, captures);
}

void Lowering::match_parts(const std::vector<Node>& patterns, RegisterId parts, BlockId otherwise,
                           Captures& captures) {
  if (std::ranges::all_of(patterns, is_wildcard)) return;
  Instruction instruction{.op = Op::Unpack, .operands = {parts}, .index = kNoIndex};
  for (std::size_t i = 0; i < patterns.size(); ++i) instruction.results.push_back(builder_.temporary());
  const std::vector<RegisterId> values = instruction.results;
  builder_.emit_into({}, std::move(instruction));
  for (std::size_t i = 0; i < patterns.size(); ++i) match(patterns[i], values[i], otherwise, captures);
}

}  // namespace dycl::import_python
