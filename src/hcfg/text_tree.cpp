// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_tree.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "hcfg/text_names.h"

namespace dycl {
namespace {

constexpr std::size_t kDeepest = 64;

std::string constant_text(const ResultConstant& constant) {
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string("None"); },
                        [](const std::string& text) { return quoted(text); },
                        [](auto number) { return repr(Scalar(number)); },
                    },
                    constant);
}

std::string_view word_of(ResultRecordKind kind) {
  switch (kind) {
    case ResultRecordKind::Dataclass: return "dataclass";
    case ResultRecordKind::NamedTuple: return "namedtuple";
    case ResultRecordKind::Object: return "object";
  }
  return "object";
}

class TreePrinter {
 public:
  explicit TreePrinter(const std::function<std::string(std::size_t)>& value_text) : value_text_(value_text) {}

  std::string text(const ResultNode& node) const {
    return std::visit([&](const auto& part) { return text(part); }, node);
  }

 private:
  std::string text(const ResultValue& value) const { return value_text_(value.index); }
  std::string text(const ResultConstant& constant) const { return constant_text(constant); }

  std::string text(const ResultList& list) const {
    std::string items;
    for (const ResultNode& item : list.items) items += (items.empty() ? "" : ", ") + text(item);
    if (list.kind == ResultListKind::List) return "[" + items + "]";
    if (list.kind == ResultListKind::Tuple) return "(" + items + (list.items.size() == 1 ? ",)" : ")");
    return list.items.empty() ? "set()" : "{" + items + "}";
  }

  std::string text(const ResultDict& dict) const {
    std::string items;
    for (const auto& [key, value] : dict.items)
      items += (items.empty() ? "" : ", ") + text(key) + ": " + text(value);
    return "{" + items + "}";
  }

  std::string text(const ResultRecord& record) const {
    std::string items;
    for (const auto& [name, value] : record.fields)
      items += (items.empty() ? "" : ", ") + identifier_or_quoted(name) + "=" + text(value);
    return fmt::format("{} {}({})", word_of(record.kind), quoted(record.class_name), items);
  }

  std::string text(const ResultArgument& argument) const {
    return fmt::format("argument {}", argument.number);
  }

  std::string text(const ResultSame& same) const { return fmt::format("same {}", same.number); }

  const std::function<std::string(std::size_t)>& value_text_;
};

class TreeReader {
 public:
  TreeReader(TextCursor& cursor, TextScope& scope, std::vector<ValueId>& values)
      : cursor_(cursor), scope_(scope), values_(values) {}

  Result<ResultNode> node(std::size_t depth) {
    if (depth > kDeepest) return cursor_.error(fmt::format("the structure nests deeper than {}", kDeepest));
    if (cursor_.sees("%")) return value();
    if (cursor_.take("(")) return parentheses(depth);
    if (cursor_.take("[")) return brackets(depth);
    if (cursor_.take("{")) return braces(depth);
    return word(depth);
  }

 private:
  Result<ResultNode> value() {
    auto id = scope_.use();
    if (!id) return failure_of(std::move(id));
    values_.push_back(*id);
    return ResultNode(ResultValue{values_.size() - 1});
  }

  // Items up to `close`; `trailing` says whether a comma stood before it.
  Result<std::vector<ResultNode>> items(std::string_view close, std::size_t depth, bool& trailing) {
    std::vector<ResultNode> list;
    trailing = false;
    while (!cursor_.take(close)) {
      if (!list.empty() && !trailing) return cursor_.unexpected(fmt::format("',' or '{}'", close));
      auto item = node(depth + 1);
      if (!item) return failure_of(std::move(item));
      list.push_back(*std::move(item));
      trailing = cursor_.take(",");
    }
    return list;
  }

  Result<ResultNode> parentheses(std::size_t depth) {
    bool trailing = false;
    auto list = items(")", depth, trailing);
    if (!list) return failure_of(std::move(list));
    if (list->size() == 1 && !trailing) return std::move(list->front());
    return ResultNode(ResultList{ResultListKind::Tuple, *std::move(list)});
  }

  Result<ResultNode> brackets(std::size_t depth) {
    bool trailing = false;
    auto list = items("]", depth, trailing);
    if (!list) return failure_of(std::move(list));
    return ResultNode(ResultList{ResultListKind::List, *std::move(list)});
  }

  Result<ResultNode> braces(std::size_t depth) {
    ResultDict dict;
    if (cursor_.take("}")) return ResultNode(std::move(dict));
    auto first = node(depth + 1);
    if (!first) return first;
    if (!cursor_.sees(":")) return set(*std::move(first), depth);
    while (true) {
      if (auto status = cursor_.expect(":"); !status) return failure_of(std::move(status));
      auto value = node(depth + 1);
      if (!value) return value;
      dict.items.emplace_back(*std::move(first), *std::move(value));
      if (cursor_.take("}")) return ResultNode(std::move(dict));
      if (auto status = cursor_.expect(","); !status) return failure_of(std::move(status));
      first = node(depth + 1);
      if (!first) return first;
    }
  }

  Result<ResultNode> set(ResultNode first, std::size_t depth) {
    std::vector<ResultNode> list{std::move(first)};
    if (cursor_.take(",")) {
      bool trailing = false;
      auto others = items("}", depth, trailing);
      if (!others) return failure_of(std::move(others));
      for (ResultNode& other : *others) list.push_back(std::move(other));
    } else if (auto status = cursor_.expect("}"); !status) {
      return failure_of(std::move(status));
    }
    return ResultNode(ResultList{ResultListKind::Set, std::move(list)});
  }

  Result<ResultNode> word(std::size_t depth) {
    if (cursor_.sees("\""))
      return cursor_.quoted_text().map(
          [](std::string text) { return ResultNode(ResultConstant(std::move(text))); });
    if (cursor_.take_keyword("None")) return ResultNode(ResultConstant());
    if (cursor_.take_keyword("True")) return ResultNode(ResultConstant(true));
    if (cursor_.take_keyword("False")) return ResultNode(ResultConstant(false));
    if (cursor_.take_keyword("dataclass")) return record(ResultRecordKind::Dataclass, depth);
    if (cursor_.take_keyword("namedtuple")) return record(ResultRecordKind::NamedTuple, depth);
    if (cursor_.take_keyword("object")) return record(ResultRecordKind::Object, depth);
    if (cursor_.take_keyword("argument"))
      return place("an argument").map([](std::size_t at) { return ResultNode(ResultArgument{at}); });
    if (cursor_.take_keyword("same"))
      return place("what is the same").map([](std::size_t at) { return ResultNode(ResultSame{at}); });
    if (cursor_.take_keyword("set")) {
      if (auto status = cursor_.expect("()"); !status) return failure_of(std::move(status));
      return ResultNode(ResultList{ResultListKind::Set, {}});
    }
    return number();
  }

  Result<std::size_t> place(std::string_view what) {
    const std::size_t position = cursor_.position();
    auto read = number();
    if (!read) return failure_of(std::move(read));
    const auto* constant = std::get_if<ResultConstant>(&*read);
    const auto* place = constant == nullptr ? nullptr : std::get_if<std::int64_t>(constant);
    if (place == nullptr || *place < 0)
      return cursor_.error_at(position, fmt::format("{} has a number", what));
    return static_cast<std::size_t>(*place);
  }

  Result<ResultNode> number() {
    const std::size_t position = cursor_.position();
    auto text = cursor_.number_text();
    if (!text) return failure_of(std::move(text));
    const char* end = text->data() + text->size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(text->data(), end, integer);
        read.ec == std::errc() && read.ptr == end)
      return ResultNode(ResultConstant(integer));
    double real = 0;
    if (const auto read = std::from_chars(text->data(), end, real); read.ec == std::errc() && read.ptr == end)
      return ResultNode(ResultConstant(real));
    return cursor_.error_at(position, fmt::format("'{}' is not a number", *text));
  }

  Result<ResultNode> record(ResultRecordKind kind, std::size_t depth) {
    ResultRecord record{kind, {}, {}};
    auto name = cursor_.quoted_text();
    if (!name) return failure_of(std::move(name));
    record.class_name = *std::move(name);
    if (auto status = cursor_.expect("("); !status) return failure_of(std::move(status));
    while (!cursor_.take(")")) {
      if (!record.fields.empty())
        if (auto status = cursor_.expect(","); !status) return failure_of(std::move(status));
      auto field = cursor_.word_or_quoted("a field's name");
      if (!field) return failure_of(std::move(field));
      if (auto status = cursor_.expect("="); !status) return failure_of(std::move(status));
      auto value = node(depth + 1);
      if (!value) return value;
      record.fields.emplace_back(*std::move(field), *std::move(value));
    }
    return ResultNode(std::move(record));
  }

  TextCursor& cursor_;
  TextScope& scope_;
  std::vector<ValueId>& values_;
};

}  // namespace

std::string tree_text(const ResultNode& tree, const std::function<std::string(std::size_t)>& value_text) {
  const std::string text = TreePrinter(value_text).text(tree);
  return std::holds_alternative<ResultValue>(tree) ? "(" + text + ")" : text;
}

Result<ResultTree> read_tree(TextCursor& cursor, TextScope& scope, std::vector<ValueId>& values) {
  auto tree = TreeReader(cursor, scope, values).node(0);
  if (!tree) return failure_of(std::move(tree));
  return std::make_shared<const ResultNode>(*std::move(tree));
}

}  // namespace dycl
