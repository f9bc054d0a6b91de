// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the grammar in docs/concepts/hcfg.md. Nothing in it nests without bound, so
// hostile text cannot exhaust the stack.
#include <fmt/format.h>

#include "hcfg/text.h"
#include "hcfg/text_cursor.h"
#include "hcfg/text_read_attributes.h"
#include "hcfg/text_scope.h"

namespace dycl {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const ConstantSource& constant_of)
      : cursor_(text), scope_(graph_, cursor_), constant_of_(constant_of) {}

  Result<Hcfg> parse();

 private:
  Status header();
  Status ports(std::vector<Port>& ports, bool inputs);
  Result<Port> input();
  Result<Port> output();
  Status range();
  Status constant();
  Status block();
  Status parameters(Block& block);
  Status step(Block& block);
  Status subnet(Block& block);
  Status tensor_op(SubnetStep& subnet);
  Status host_step(Block& block);
  Result<std::vector<ValueId>> outputs();
  Status terminator(std::string_view keyword, Terminator& terminator);
  Result<Terminator> jump();
  Result<Terminator> branch();
  Result<Terminator> switch_();
  Result<Terminator> return_();
  Result<Terminator> raise();

  Hcfg graph_;
  TextCursor cursor_;
  TextScope scope_;
  const ConstantSource& constant_of_;
};

bool is_terminator(std::string_view word) {
  return word == "jump" || word == "branch" || word == "switch" || word == "return" || word == "raise";
}

Result<Port> Parser::input() {
  Port port;
  port.optional = cursor_.take_keyword("optional");
  const bool named = !cursor_.sees("%");
  if (named) {
    auto name = cursor_.word_or_quoted("an input like %x: f32[n]");
    if (!name) return failure_of(std::move(name));
    port.name = *std::move(name);
  }
  auto value = scope_.definition();
  if (!value) return failure_of(std::move(value));
  port.value = *value;
  if (!named) port.name = graph_.value(*value).name;
  port.type = graph_.type_of(*value);
  if (!cursor_.take_keyword("declared")) return port;
  auto type = scope_.type();
  if (!type) return failure_of(std::move(type));
  port.type = *std::move(type);
  return port;
}

Result<Port> Parser::output() {
  Port port;
  port.optional = cursor_.take_keyword("optional");
  auto name = cursor_.word_or_quoted("an output like y: f32[n]");
  if (!name) return failure_of(std::move(name));
  port.name = *std::move(name);
  if (auto status = cursor_.expect(":"); !status) return failure_of(std::move(status));
  auto type = scope_.type();
  if (!type) return failure_of(std::move(type));
  port.type = *std::move(type);
  return port;
}

Status Parser::ports(std::vector<Port>& ports, bool inputs) {
  if (auto status = cursor_.expect("("); !status) return status;
  if (cursor_.take(")")) return {};
  do {
    auto port = inputs ? input() : output();
    if (!port) return failure_of(std::move(port));
    ports.push_back(*std::move(port));
  } while (cursor_.take(","));
  return cursor_.expect(")");
}

Status Parser::header() {
  if (auto status = cursor_.expect_keyword("hcfg"); !status) return status;
  auto name = cursor_.word_or_quoted("the graph's name");
  if (!name) return failure_of(std::move(name));
  graph_.name = *std::move(name);
  if (auto status = ports(graph_.inputs, true); !status) return status;
  if (auto status = cursor_.expect("->"); !status) return status;
  if (auto status = ports(graph_.outputs, false); !status) return status;
  return cursor_.expect("{");
}

Status Parser::range() {
  const std::size_t position = cursor_.position();
  auto symbol = scope_.known_symbol();
  if (!symbol) return failure_of(std::move(symbol));
  if (auto status = cursor_.expect("="); !status) return status;
  auto smallest = cursor_.integer();
  if (!smallest) return failure_of(std::move(smallest));
  if (auto status = cursor_.expect(".."); !status) return status;
  auto largest = cursor_.integer();
  if (!largest) return failure_of(std::move(largest));
  Symbol& limited = graph_.symbols[symbol->index()];
  if (limited.range.limited()) return cursor_.error_at(position, limited.name + " has two ranges");
  limited.range = {*smallest, *largest};
  return {};
}

Status Parser::constant() {
  auto value = scope_.definition();
  if (!value) return failure_of(std::move(value));
  if (auto status = cursor_.expect("="); !status) return status;
  auto data = read_contents(cursor_, graph_.type_of(*value), constant_of_);
  if (!data) return failure_of(std::move(data));
  graph_.constants.push_back({*value, *std::move(data)});
  return {};
}

Result<std::vector<ValueId>> Parser::outputs() {
  std::vector<ValueId> ids;
  if (cursor_.take("(")) {
    if (auto status = cursor_.expect(")"); !status) return failure_of(std::move(status));
  } else {
    do {
      auto id = cursor_.take_keyword("_") ? Result<ValueId>(ValueId()) : scope_.definition();
      if (!id) return failure_of(std::move(id));
      ids.push_back(*id);
    } while (cursor_.take(","));
  }
  if (auto status = cursor_.expect("="); !status) return failure_of(std::move(status));
  return ids;
}

Status Parser::tensor_op(SubnetStep& subnet) {
  TensorOp op;
  auto results = outputs();
  if (!results) return failure_of(std::move(results));
  op.outputs = *std::move(results);
  auto name = cursor_.word_or_quoted("an operator like MatMul@13");
  if (!name) return failure_of(std::move(name));
  if (cursor_.take("::")) {
    op.domain = *std::move(name);
    name = cursor_.word_or_quoted("an operator's name");
    if (!name) return failure_of(std::move(name));
  }
  op.name = *std::move(name);
  if (auto status = cursor_.expect("@"); !status) return status;
  auto version = cursor_.integer();
  if (!version) return failure_of(std::move(version));
  op.version = *version;
  auto inputs = scope_.arguments(true);
  if (!inputs) return failure_of(std::move(inputs));
  op.inputs = *std::move(inputs);
  auto attributes = read_attributes(cursor_, constant_of_);
  if (!attributes) return failure_of(std::move(attributes));
  op.attributes = *std::move(attributes);
  subnet.ops.push_back(std::move(op));
  return {};
}

Status Parser::subnet(Block& block) {
  SubnetStep step;
  auto name = cursor_.word_or_quoted("the sub-DNN's name");
  if (!name) return failure_of(std::move(name));
  step.name = *std::move(name);
  if (auto status = cursor_.expect("{"); !status) return status;
  while (!cursor_.take("}"))
    if (auto status = tensor_op(step); !status) return status;
  block.steps.emplace_back(std::move(step));
  return {};
}

Status Parser::host_step(Block& block) {
  HostStep step;
  auto results = outputs();
  if (!results) return failure_of(std::move(results));
  step.outputs = *std::move(results);
  const std::size_t position = cursor_.position();
  auto name = cursor_.word("a host operation like item");
  if (!name) return failure_of(std::move(name));
  const auto op = host_op_from_name(*name);
  if (!op) return cursor_.error_at(position, fmt::format("'{}' is not a host operation", *name));
  step.op = *op;
  auto inputs = scope_.arguments(true);
  if (!inputs) return failure_of(std::move(inputs));
  step.inputs = *std::move(inputs);
  auto attributes = read_attributes(cursor_, constant_of_);
  if (!attributes) return failure_of(std::move(attributes));
  step.attributes = *std::move(attributes);
  block.steps.emplace_back(std::move(step));
  return {};
}

Status Parser::step(Block& block) {
  return cursor_.take_keyword("subnet") ? subnet(block) : host_step(block);
}

Result<Terminator> Parser::jump() {
  auto edge = scope_.edge();
  if (!edge) return failure_of(std::move(edge));
  return Jump{*std::move(edge)};
}

Result<Terminator> Parser::branch() {
  auto condition = scope_.use();
  if (!condition) return failure_of(std::move(condition));
  if (auto status = cursor_.expect("?"); !status) return failure_of(std::move(status));
  auto then_edge = scope_.edge();
  if (!then_edge) return failure_of(std::move(then_edge));
  if (auto status = cursor_.expect(":"); !status) return failure_of(std::move(status));
  auto else_edge = scope_.edge();
  if (!else_edge) return failure_of(std::move(else_edge));
  return Branch{*condition, *std::move(then_edge), *std::move(else_edge)};
}

Result<Terminator> Parser::switch_() {
  Switch choice;
  auto index = scope_.use();
  if (!index) return failure_of(std::move(index));
  choice.index = *index;
  if (auto status = cursor_.expect("["); !status) return failure_of(std::move(status));
  while (!cursor_.take("]")) {
    if (!choice.cases.empty())
      if (auto status = cursor_.expect(","); !status) return failure_of(std::move(status));
    auto edge = scope_.edge();
    if (!edge) return failure_of(std::move(edge));
    choice.cases.push_back(*std::move(edge));
  }
  if (auto status = cursor_.expect_keyword("else"); !status) return failure_of(std::move(status));
  auto fallback = scope_.edge();
  if (!fallback) return failure_of(std::move(fallback));
  choice.fallback = *std::move(fallback);
  return choice;
}

Result<Terminator> Parser::return_() {
  Return done;
  if (!cursor_.sees("%")) return done;
  do {
    auto value = scope_.use();
    if (!value) return failure_of(std::move(value));
    done.values.push_back(*value);
  } while (cursor_.take(","));
  return done;
}

Result<Terminator> Parser::raise() {
  auto type = cursor_.word_or_quoted("an exception type");
  if (!type) return failure_of(std::move(type));
  auto format = cursor_.quoted_text();
  if (!format) return failure_of(std::move(format));
  auto scalars = scope_.arguments(false);
  if (!scalars) return failure_of(std::move(scalars));
  return Raise{*std::move(type), *std::move(format), *std::move(scalars)};
}

Status Parser::terminator(std::string_view keyword, Terminator& terminator) {
  cursor_.take_keyword(keyword);
  auto parsed = keyword == "jump"     ? jump()
                : keyword == "branch" ? branch()
                : keyword == "switch" ? switch_()
                : keyword == "return" ? return_()
                                      : raise();
  if (!parsed) return failure_of(std::move(parsed));
  terminator = *std::move(parsed);
  return {};
}

Status Parser::parameters(Block& block) {
  if (!cursor_.take("(")) return {};
  do {
    auto parameter = scope_.definition();
    if (!parameter) return failure_of(std::move(parameter));
    block.parameters.push_back(*parameter);
  } while (cursor_.take(","));
  return cursor_.expect(")");
}

Status Parser::block() {
  if (auto status = cursor_.expect_keyword(fmt::format("b{}", graph_.blocks.size())); !status) return status;
  Block block;
  if (auto status = parameters(block); !status) return status;
  if (auto status = cursor_.expect(":"); !status) return status;
  while (!is_terminator(cursor_.peek_word()))
    if (auto status = step(block); !status) return status;
  if (auto status = terminator(cursor_.peek_word(), block.terminator); !status) return status;
  graph_.blocks.push_back(std::move(block));
  return {};
}

Result<Hcfg> Parser::parse() {
  if (auto status = header(); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("range"))
    if (auto status = range(); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("const"))
    if (auto status = constant(); !status) return failure_of(std::move(status));
  while (!cursor_.take("}"))
    if (auto status = block(); !status) return failure_of(std::move(status));
  if (!cursor_.at_end()) return cursor_.unexpected("nothing more");
  if (auto status = scope_.finish(); !status) return failure_of(std::move(status));
  return std::move(graph_);
}

}  // namespace

Result<Hcfg> parse_hcfg(std::string_view text, const ConstantSource& constant_of) {
  return Parser(text, constant_of).parse();
}

}  // namespace dycl
