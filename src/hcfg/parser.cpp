// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the grammar in docs/concepts/hcfg.md. Nothing in it nests without bound, so
// hostile text cannot exhaust the stack.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "hcfg/fragment.h"
#include "hcfg/text.h"
#include "hcfg/text_cursor.h"
#include "hcfg/text_read_attributes.h"
#include "hcfg/text_scope.h"
#include "hcfg/text_tree.h"

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
  Status source();
  Result<SourceId> source_name();
  Result<SourceId> at();
  Status initial();
  Result<FirstContents> list_of_contents();
  Status constant(TextScope& scope, Hcfg& graph);
  Status fragment();
  Result<Fragment> fragment_body(TextScope& scope, Hcfg& local, Fragment fragment);
  Status block();
  Status parameters(Block& block);
  Status step(Block& block);
  Status subnet(Block& block);
  Result<TensorOp> tensor_op(TextScope& scope);
  Result<TensorOp> onnx_op(TextScope& scope, std::string name, std::vector<ValueId> results);
  Result<TensorOp> fragment_call(TextScope& scope, std::vector<ValueId> results);
  Status host_step(Block& block);
  Result<std::vector<ValueId>> outputs(TextScope& scope);
  Status terminator(std::string_view keyword, Terminator& terminator);
  Result<Terminator> jump();
  Result<Terminator> branch();
  Result<Terminator> switch_();
  [[nodiscard]] bool returns_tree() const;
  Result<Terminator> return_();
  Status writes(Return& done);
  Result<Terminator> raise();

  Hcfg graph_;
  TextCursor cursor_;
  TextScope scope_;
  const ConstantSource& constant_of_;
  std::unordered_map<std::string, FragmentPtr> fragments_;
  std::vector<ValueId> states_;  // whose first contents are not read yet
};

bool is_terminator(std::string_view word) {
  return word == "jump" || word == "branch" || word == "switch" || word == "return" || word == "raise";
}

Result<Port> Parser::input() {
  Port port;
  port.optional = cursor_.take_keyword("optional");
  const bool is_state = cursor_.take_keyword("state");
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
  if (is_state) states_.push_back(port.value);
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

// source s0 = "model.py":12:7 ["node"] [from s3]
Status Parser::source() {
  if (auto status = cursor_.expect_keyword(fmt::format("s{}", graph_.sources.size())); !status) return status;
  if (auto status = cursor_.expect("="); !status) return status;
  Source source;
  auto file = cursor_.quoted_text();
  if (!file) return failure_of(std::move(file));
  source.span.file = *std::move(file);
  for (std::uint32_t* number : {&source.span.line, &source.span.column}) {
    if (auto status = cursor_.expect(":"); !status) return status;
    const std::size_t position = cursor_.position();
    auto value = cursor_.integer();
    if (!value) return failure_of(std::move(value));
    if (*value < 0 || *value > std::numeric_limits<std::uint32_t>::max())
      return cursor_.error_at(position, "this is no line or column");
    *number = static_cast<std::uint32_t>(*value);
  }
  if (cursor_.sees("\"")) {
    auto node = cursor_.quoted_text();
    if (!node) return failure_of(std::move(node));
    source.span.node = *std::move(node);
  }
  if (cursor_.take_keyword("from")) {
    auto caller = source_name();
    if (!caller) return failure_of(std::move(caller));
    source.caller = *caller;
  }
  graph_.sources.push_back(std::move(source));
  return {};
}

// s3, which the table lists
Result<SourceId> Parser::source_name() {
  const std::size_t position = cursor_.position();
  auto name = cursor_.word("a source like s0");
  if (!name) return failure_of(std::move(name));
  std::uint32_t index = 0;
  const char* end = name->data() + name->size();
  const auto [last, problem] = std::from_chars(name->data() + 1, end, index);
  if (!name->starts_with('s') || problem != std::errc() || last != end || index >= graph_.sources.size())
    return cursor_.error_at(position, fmt::format("'{}' is not a source of the table", *name));
  return SourceId(index);
}

Result<SourceId> Parser::at() {
  if (!cursor_.take_keyword("at")) return SourceId();
  return source_name();
}

// [tensor f32[2] hex "…", …]: where the type of the state does not tell the sizes, or is a list.
Result<FirstContents> Parser::list_of_contents() {
  FirstContents contents;
  if (cursor_.take("]")) return contents;
  do {
    if (!cursor_.take_keyword("tensor")) return cursor_.unexpected("a tensor with its type");
    auto data = read_typed_tensor(cursor_, constant_of_);
    if (!data) return failure_of(std::move(data));
    contents.push_back(*std::move(data));
  } while (cursor_.take(","));
  if (auto status = cursor_.expect("]"); !status) return failure_of(std::move(status));
  return contents;
}

// initial %count = hex "…"
Status Parser::initial() {
  const std::size_t position = cursor_.position();
  auto value = scope_.use();
  if (!value) return failure_of(std::move(value));
  const auto port = std::ranges::find(graph_.inputs, *value, &Port::value);
  if (port == graph_.inputs.end() || std::erase(states_, *value) == 0)
    return cursor_.error_at(position, "this is no state, or has its contents already");
  if (auto status = cursor_.expect("="); !status) return status;
  if (cursor_.take("[")) {
    auto contents = list_of_contents();
    if (!contents) return failure_of(std::move(contents));
    port->initial = *std::move(contents);
    return {};
  }
  auto data = read_contents(cursor_, graph_.type_of(*value), constant_of_);
  if (!data) return failure_of(std::move(data));
  port->initial = FirstContents{*std::move(data)};
  return {};
}

Status Parser::constant(TextScope& scope, Hcfg& graph) {
  auto value = scope.definition();
  if (!value) return failure_of(std::move(value));
  if (auto status = cursor_.expect("="); !status) return status;
  auto data = read_contents(cursor_, graph.type_of(*value), constant_of_);
  if (!data) return failure_of(std::move(data));
  graph.constants.push_back({*value, *std::move(data)});
  return {};
}

Result<std::vector<ValueId>> Parser::outputs(TextScope& scope) {
  std::vector<ValueId> ids;
  if (cursor_.take("(")) {
    if (auto status = cursor_.expect(")"); !status) return failure_of(std::move(status));
  } else {
    do {
      auto id = cursor_.take_keyword("_") ? Result<ValueId>(ValueId()) : scope.definition();
      if (!id) return failure_of(std::move(id));
      ids.push_back(*id);
    } while (cursor_.take(","));
  }
  if (auto status = cursor_.expect("="); !status) return failure_of(std::move(status));
  return ids;
}

// … = fragment linear(%x, %w)
Result<TensorOp> Parser::fragment_call(TextScope& scope, std::vector<ValueId> results) {
  const std::size_t position = cursor_.position();
  auto name = cursor_.word_or_quoted("a fragment's name");
  if (!name) return failure_of(std::move(name));
  const auto found = fragments_.find(*name);
  if (found == fragments_.end())
    return cursor_.error_at(position, fmt::format("there is no fragment '{}'", *name));
  auto operands = scope.arguments(false);
  if (!operands) return failure_of(std::move(operands));
  return FragmentCall(found->second, *std::move(operands), std::move(results));
}

// … = [domain::]MatMul@13(%x, %w) {…}
Result<TensorOp> Parser::onnx_op(TextScope& scope, std::string name, std::vector<ValueId> results) {
  OnnxOp op;
  op.outputs = std::move(results);
  op.name = std::move(name);
  if (cursor_.take("::")) {
    auto own_name = cursor_.word_or_quoted("an operator's name");
    if (!own_name) return failure_of(std::move(own_name));
    op.domain = std::exchange(op.name, *std::move(own_name));
  }
  if (auto status = cursor_.expect("@"); !status) return failure_of(std::move(status));
  auto version = cursor_.integer();
  if (!version) return failure_of(std::move(version));
  op.version = *version;
  auto inputs = scope.arguments(true);
  if (!inputs) return failure_of(std::move(inputs));
  op.inputs = *std::move(inputs);
  auto attributes = read_attributes(cursor_, constant_of_);
  if (!attributes) return failure_of(std::move(attributes));
  op.attributes = *std::move(attributes);
  return op;
}

Result<TensorOp> Parser::tensor_op(TextScope& scope) {
  auto results = outputs(scope);
  if (!results) return failure_of(std::move(results));
  auto name = cursor_.word_or_quoted("an operator like MatMul@13");
  if (!name) return failure_of(std::move(name));
  const bool is_call = *name == "fragment" && !cursor_.sees("@") && !cursor_.sees("::");
  auto op = is_call ? fragment_call(scope, *std::move(results))
                    : onnx_op(scope, *std::move(name), *std::move(results));
  if (!op) return op;
  auto source = at();
  if (!source) return failure_of(std::move(source));
  source_of(*op) = *source;
  return op;
}

// fragment NAME(%x: TYPE, …) -> (%y, …) key "…" { CONST… OP… [aten "…"] }
Status Parser::fragment() {
  const std::size_t position = cursor_.position();
  Fragment fragment;
  auto name = cursor_.word_or_quoted("the fragment's name");
  if (!name) return failure_of(std::move(name));
  fragment.name = *std::move(name);
  Hcfg local;
  TextScope scope(local, cursor_);
  if (auto status = cursor_.expect("("); !status) return status;
  while (!cursor_.take(")")) {
    if (!fragment.inputs.empty())
      if (auto status = cursor_.expect(","); !status) return status;
    auto input = scope.definition();
    if (!input) return failure_of(std::move(input));
    fragment.inputs.push_back(*input);
  }
  auto body = fragment_body(scope, local, std::move(fragment));
  if (!body) return failure_of(std::move(body));
  if (const std::string defect = fragment_defect(*body); !defect.empty())
    return cursor_.error_at(position, fmt::format("the fragment {}: {}", body->name, defect));
  const std::string key = body->name;
  if (!fragments_.emplace(key, std::make_shared<const Fragment>(*std::move(body))).second)
    return cursor_.error_at(position, fmt::format("the fragment {} is defined twice", key));
  return {};
}

Result<Fragment> Parser::fragment_body(TextScope& scope, Hcfg& local, Fragment fragment) {
  if (auto status = cursor_.expect("->"); !status) return failure_of(std::move(status));
  auto results = scope.arguments(false);
  if (!results) return failure_of(std::move(results));
  fragment.outputs = *std::move(results);
  if (auto status = cursor_.expect_keyword("key"); !status) return failure_of(std::move(status));
  auto key = cursor_.quoted_text();
  if (!key) return failure_of(std::move(key));
  fragment.key = *std::move(key);
  if (auto status = cursor_.expect("{"); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("const"))
    if (auto status = constant(scope, local); !status) return failure_of(std::move(status));
  while (!cursor_.sees("}") && cursor_.peek_word() != "aten") {
    const std::size_t position = cursor_.position();
    auto op = tensor_op(scope);
    if (!op) return failure_of(std::move(op));
    auto* plain = std::get_if<OnnxOp>(&*op);
    if (plain == nullptr) return cursor_.error_at(position, "a fragment holds another one");
    fragment.ops.push_back(std::move(*plain));
  }
  if (cursor_.take_keyword("aten")) {
    auto aten = cursor_.quoted_text();
    if (!aten) return failure_of(std::move(aten));
    fragment.aten = *std::move(aten);
  }
  if (auto status = cursor_.expect("}"); !status) return failure_of(std::move(status));
  if (auto status = scope.finish(); !status) return failure_of(std::move(status));
  fragment.values = std::move(local.values);
  fragment.symbols = std::move(local.symbols);
  fragment.constants = std::move(local.constants);
  return fragment;
}

Status Parser::subnet(Block& block) {
  SubnetStep step;
  auto name = cursor_.word_or_quoted("the sub-DNN's name");
  if (!name) return failure_of(std::move(name));
  step.name = *std::move(name);
  if (auto status = cursor_.expect("{"); !status) return status;
  while (!cursor_.take("}")) {
    auto op = tensor_op(scope_);
    if (!op) return failure_of(std::move(op));
    step.ops.push_back(*std::move(op));
  }
  block.steps.emplace_back(std::move(step));
  return {};
}

Status Parser::host_step(Block& block) {
  HostStep step;
  auto results = outputs(scope_);
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
  auto source = at();
  if (!source) return failure_of(std::move(source));
  step.source = *source;
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

// Behind a return without values stands a block, the end, or the return's source.
bool Parser::returns_tree() const {
  if (cursor_.sees("%") || cursor_.sees("}") || cursor_.at_end()) return false;
  const std::string_view word = cursor_.peek_word();
  const bool is_block =
      word.size() > 1 && word[0] == 'b' && word.find_first_not_of("0123456789", 1) == word.npos;
  return word != "at" && word != "writes" && !is_block;
}

Result<Terminator> Parser::return_() {
  Return done;
  if (returns_tree()) {
    auto tree = read_tree(cursor_, scope_, done.values);
    if (!tree) return failure_of(std::move(tree));
    done.tree = *std::move(tree);
  } else if (cursor_.sees("%")) {
    do {
      auto value = scope_.use();
      if (!value) return failure_of(std::move(value));
      done.values.push_back(*value);
    } while (cursor_.take(","));
  }
  if (auto status = writes(done); !status) return failure_of(std::move(status));
  return done;
}

// writes %x = %3, %count = %5
Status Parser::writes(Return& done) {
  if (!cursor_.take_keyword("writes")) return {};
  do {
    const std::size_t position = cursor_.position();
    auto target = scope_.use();
    if (!target) return failure_of(std::move(target));
    const auto port = std::ranges::find(graph_.inputs, *target, &Port::value);
    if (port == graph_.inputs.end()) return cursor_.error_at(position, "only inputs are written");
    if (auto status = cursor_.expect("="); !status) return status;
    auto value = scope_.use();
    if (!value) return failure_of(std::move(value));
    done.writes.push_back(static_cast<std::uint32_t>(port - graph_.inputs.begin()));
    done.values.push_back(*value);
  } while (cursor_.take(","));
  return {};
}

Result<Terminator> Parser::raise() {
  auto type = cursor_.word_or_quoted("an exception type");
  if (!type) return failure_of(std::move(type));
  auto format = cursor_.quoted_text();
  if (!format) return failure_of(std::move(format));
  auto scalars = scope_.arguments(false);
  if (!scalars) return failure_of(std::move(scalars));
  Raise raise{*std::move(type), *std::move(format), *std::move(scalars)};
  if (!cursor_.take_keyword("with")) return raise;
  std::vector<ValueId> in_attributes;
  auto attributes = read_tree(cursor_, scope_, in_attributes);
  if (!attributes) return failure_of(std::move(attributes));
  raise.scalars.insert(raise.scalars.end(), in_attributes.begin(), in_attributes.end());
  raise.attributes = *std::move(attributes);
  return raise;
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
  auto source = at();
  if (!source) return failure_of(std::move(source));
  block.source = *source;
  graph_.blocks.push_back(std::move(block));
  return {};
}

Result<Hcfg> Parser::parse() {
  if (auto status = header(); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("range"))
    if (auto status = range(); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("source"))
    if (auto status = source(); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("initial"))
    if (auto status = initial(); !status) return failure_of(std::move(status));
  if (!states_.empty()) return cursor_.unexpected("the first contents of every state");
  while (cursor_.take_keyword("const"))
    if (auto status = constant(scope_, graph_); !status) return failure_of(std::move(status));
  while (cursor_.take_keyword("fragment"))
    if (auto status = fragment(); !status) return failure_of(std::move(status));
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
