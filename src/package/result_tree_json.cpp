// SPDX-License-Identifier: Apache-2.0
#include "package/result_tree_json.h"

#include <array>
#include <bit>
#include <set>

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
                 [&](const ResultSame& same) { list.push_back({{"same", same.number}}); },
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
    if (const auto same = object.optional_field("same")) return ResultSame{same->index()};
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

// What stands in several places has its number where it stands first.
class Nested {
 public:
  explicit Nested(const ResultNode& tree) { note_repeated(tree); }

  Json json(const ResultNode& node) {
    return std::visit([&](const auto& part) { return json_of(part); }, node);
  }

 private:
  void note_repeated(const ResultNode& node) {
    std::visit(Overloaded{
                   [](const ResultValue&) {},
                   [](const ResultConstant&) {},
                   [](const ResultArgument&) {},
                   [&](const ResultSame& same) { repeated_.insert(same.number); },
                   [&](const ResultList& list) {
                     for (const ResultNode& item : list.items) note_repeated(item);
                   },
                   [&](const ResultDict& dict) {
                     for (const auto& [key, value] : dict.items) note_repeated(value);
                   },
                   [&](const ResultRecord& record) {
                     for (const auto& [name, value] : record.fields) note_repeated(value);
                   },
               },
               node);
  }

  static Json json_of(const ResultValue& value) { return {{"value", value.index}}; }
  static Json json_of(const ResultArgument& argument) { return {{"argument", argument.number}}; }
  static Json json_of(const ResultSame& same) { return {{"same", same.number}}; }
  static Json json_of(const ResultConstant& constant) {
    return std::visit(Overloaded{
                          [](std::monostate) { return Json(); },
                          [](double number) { return Json{{"float", repr(Scalar(number))}}; },
                          [](const auto& other) { return Json(other); },
                      },
                      constant);
  }

  static Json key_json(const ResultNode& key) {
    if (const auto* constant = std::get_if<ResultConstant>(&key)) return json_of(*constant);
    Json items = Json::array();
    for (const ResultNode& item : std::get<ResultList>(key).items) items.push_back(key_json(item));
    return {{"tuple", std::move(items)}};
  }

  Json json_of(const ResultList& list) {
    Json made = numbered();
    Json items = Json::array();
    for (const ResultNode& item : list.items) items.push_back(json(item));
    made[std::string(word_of(list.kind))] = std::move(items);
    return made;
  }

  Json json_of(const ResultDict& dict) {
    Json made = numbered();
    Json items = Json::array();
    for (const auto& [key, value] : dict.items) items.push_back(Json::array({key_json(key), json(value)}));
    made["dict"] = std::move(items);
    return made;
  }

  Json json_of(const ResultRecord& record) {
    Json made = numbered();
    Json fields = Json::object();
    for (const auto& [name, value] : record.fields) fields[name] = json(value);
    made["record"] = record.class_name;
    made["kind"] = word_of(record.kind);
    made["fields"] = std::move(fields);
    return made;
  }

  Json numbered() {
    Json made = Json::object();
    if (repeated_.contains(next_)) made["number"] = next_;
    ++next_;
    return made;
  }

  std::set<std::size_t> repeated_;
  std::size_t next_ = 0;
};

}  // namespace

Json tree_to_json(const ResultNode& tree) {
  Json list = Json::array();
  append(tree, list);
  return list;
}

ResultTree tree_from_json(const JsonCursor& list) { return TreeReader(list).run(); }

std::string nested_json(const ResultNode& tree) { return Nested(tree).json(tree).dump(); }

}  // namespace dycl
