// SPDX-License-Identifier: Apache-2.0
#include "package/result_tree_json.h"

#include <array>
#include <bit>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "package/hex.h"

namespace dycl {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::array<std::string_view, 3> kListWords{"tuple", "list", "set"};
constexpr std::array<std::string_view, 3> kRecordWords{"dataclass", "namedtuple", "object"};

std::string_view word_of(ResultListKind kind) { return kListWords[static_cast<std::size_t>(kind)]; }
std::string_view word_of(ResultRecordKind kind) { return kRecordWords[static_cast<std::size_t>(kind)]; }

Json constant_json(const ResultConstant& constant) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return Json{{"none", 0}}; },
          [](bool truth) { return Json{{"bool", truth}}; },
          [](std::int64_t number) { return Json{{"int", number}}; },
          [](double number) { return Json{{"float", to_hex(std::bit_cast<std::uint64_t>(number), 16)}}; },
          [](const std::string& text) { return Json{{"text", text}}; },
      },
      constant);
}

void append(const ResultNode& node, Json& list) {
  std::visit(Overloaded{
                 [&](const ResultValue& value) { list.push_back({{"value", value.index}}); },
                 [&](const ResultConstant& constant) { list.push_back(constant_json(constant)); },
                 [&](const ResultList& items) {
                   list.push_back({{std::string(word_of(items.kind)), items.items.size()}});
                   for (const ResultNode& item : items.items) append(item, list);
                 },
                 [&](const ResultDict& dict) {
                   list.push_back({{"dict", dict.items.size()}});
                   for (const auto& [key, value] : dict.items) {
                     append(key, list);
                     append(value, list);
                   }
                 },
                 [&](const ResultRecord& record) {
                   Json fields = Json::array();
                   for (const auto& [name, value] : record.fields) fields.push_back(name);
                   list.push_back(
                       {{"record", record.class_name}, {"kind", word_of(record.kind)}, {"fields", fields}});
                   for (const auto& [name, value] : record.fields) append(value, list);
                 },
                 [&](const ResultArgument& argument) { list.push_back({{"argument", argument.number}}); },
             },
             node);
}

// Takes nodes off a list that was read before, so that counts can be held against what is there.
class TreeReader {
 public:
  explicit TreeReader(const JsonCursor& list) : list_(list) {
    list.each([&](const JsonCursor& node) { nodes_.push_back(node); });
  }

  ResultTree run() {
    ResultNode root = node(0);
    if (!failed_ && next_ != nodes_.size()) complain("has nodes left over");
    return failed_ ? nullptr : std::make_shared<const ResultNode>(std::move(root));
  }

 private:
  void complain(std::string_view what) {
    if (!failed_) list_.say(what);
    failed_ = true;
  }

  ResultNode node(std::size_t depth) {
    if (failed_ || next_ == nodes_.size() || depth > kDeepest) {
      complain("is not a structure: it ends early, or nests too deep");
      return {};
    }
    const JsonCursor& object = nodes_[next_++];
    if (const auto value = object.optional_field("value")) return ResultValue{value->index()};
    if (const auto argument = object.optional_field("argument")) return ResultArgument{argument->index()};
    if (const auto dict = object.optional_field("dict")) return dict_of(*dict, depth);
    if (const auto record = object.optional_field("record")) return record_of(object, record->text(), depth);
    for (std::size_t kind = 0; kind < kListWords.size(); ++kind)
      if (const auto list = object.optional_field(kListWords[kind]))
        return list_of(*list, static_cast<ResultListKind>(kind), depth);
    return constant_of(object);
  }

  std::size_t count_of(const JsonCursor& number, std::size_t width) {
    const std::size_t count = number.index();
    if (count * width <= nodes_.size() - next_) return count;
    complain("promises more nodes than there are");
    return 0;
  }

  ResultNode list_of(const JsonCursor& number, ResultListKind kind, std::size_t depth) {
    ResultList list{kind, {}};
    for (std::size_t left = count_of(number, 1); left > 0 && !failed_; --left)
      list.items.push_back(node(depth + 1));
    return list;
  }

  ResultNode dict_of(const JsonCursor& number, std::size_t depth) {
    ResultDict dict;
    for (std::size_t left = count_of(number, 2); left > 0 && !failed_; --left) {
      ResultNode key = node(depth + 1);
      dict.items.emplace_back(std::move(key), node(depth + 1));
    }
    return dict;
  }

  ResultNode record_of(const JsonCursor& object, std::string name, std::size_t depth) {
    object.only_fields({"record", "kind", "fields"});
    ResultRecord record{ResultRecordKind::Dataclass, std::move(name), {}};
    const JsonCursor kind = object.field("kind");
    const std::string word = kind.text();
    const auto found = std::ranges::find(kRecordWords, word);
    if (found == kRecordWords.end()) complain("has a record of an unknown kind");
    record.kind = static_cast<ResultRecordKind>((found - kRecordWords.begin()) % 3);
    std::vector<std::string> fields;
    object.field("fields").each([&](const JsonCursor& field) { fields.push_back(field.text()); });
    for (std::string& field : fields) {
      if (failed_) break;
      record.fields.emplace_back(std::move(field), node(depth + 1));
    }
    return record;
  }

  ResultNode constant_of(const JsonCursor& object) {
    object.only_fields({"none", "bool", "int", "float", "text"});
    if (const auto truth = object.optional_field("bool")) return ResultConstant(truth->boolean());
    if (const auto number = object.optional_field("int")) return ResultConstant(number->integer());
    if (const auto text = object.optional_field("text")) return ResultConstant(text->text());
    if (const auto number = object.optional_field("float")) {
      const auto bits = bits_from_hex(number->text(), 16);
      if (!bits) complain("has a float that is not hex digits");
      return ResultConstant(std::bit_cast<double>(bits.value_or(0)));
    }
    if (!object.optional_field("none")) complain("has a node of no kind");
    return ResultConstant();
  }

  const JsonCursor& list_;
  std::vector<JsonCursor> nodes_;
  std::size_t next_ = 0;
  bool failed_ = false;
};

Json nested(const ResultNode& node) {
  return std::visit(
      Overloaded{
          [](const ResultValue& value) { return Json{{"value", value.index}}; },
          [](const ResultConstant& constant) {
            return std::visit(Overloaded{
                                  [](std::monostate) { return Json(); },
                                  [](double number) { return Json{{"float", repr(Scalar(number))}}; },
                                  [](const auto& other) { return Json(other); },
                              },
                              constant);
          },
          [](const ResultList& list) {
            Json items = Json::array();
            for (const ResultNode& item : list.items) items.push_back(nested(item));
            return Json{{std::string(word_of(list.kind)), std::move(items)}};
          },
          [](const ResultDict& dict) {
            Json items = Json::array();
            for (const auto& [key, value] : dict.items)
              items.push_back(Json::array({nested(key), nested(value)}));
            return Json{{"dict", std::move(items)}};
          },
          [](const ResultRecord& record) {
            Json fields = Json::object();
            for (const auto& [name, value] : record.fields) fields[name] = nested(value);
            return Json{{"record", record.class_name}, {"kind", word_of(record.kind)}, {"fields", fields}};
          },
          [](const ResultArgument& argument) { return Json{{"argument", argument.number}}; },
      },
      node);
}

}  // namespace

Json tree_to_json(const ResultNode& tree) {
  Json list = Json::array();
  append(tree, list);
  return list;
}

ResultTree tree_from_json(const JsonCursor& list) { return TreeReader(list).run(); }

std::string nested_json(const ResultNode& tree) { return nested(tree).dump(); }

}  // namespace dycl
