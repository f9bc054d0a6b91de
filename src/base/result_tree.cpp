// SPDX-License-Identifier: Apache-2.0
#include "base/result_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/overloaded.h"
#include "base/utf8.h"

namespace dycl {
namespace {

constexpr std::size_t kDeepest = 64;  // walks recurse: hostile nesting must not exhaust the stack

bool is_key(const ResultNode& node, std::size_t depth) {
  if (depth > kDeepest) return false;
  if (std::holds_alternative<ResultConstant>(node)) return true;
  const auto* list = std::get_if<ResultList>(&node);
  return list != nullptr && list->kind == ResultListKind::Tuple &&
         std::ranges::all_of(list->items, [&](const ResultNode& item) { return is_key(item, depth + 1); });
}

// "package.module:Outer.Inner"; "<locals>" stands for a class made inside a function.
bool is_class_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon != std::string::npos && colon != 0 && colon + 1 != name.size() &&
         name.find(':', colon + 1) == std::string::npos && is_utf8(name);
}

std::string defect_at(const ResultNode& node, std::size_t value_count, std::size_t depth);

std::string defect_of(const ResultDict& dict, std::size_t value_count, std::size_t depth) {
  for (const auto& [key, value] : dict.items) {
    if (!is_key(key, depth)) return "a key of a dict is not a constant";
    if (std::string defect = defect_at(key, value_count, depth + 1); !defect.empty()) return defect;
    if (std::string defect = defect_at(value, value_count, depth + 1); !defect.empty()) return defect;
  }
  return {};
}

std::string defect_of(const ResultRecord& record, std::size_t value_count, std::size_t depth) {
  if (!is_class_name(record.class_name))
    return fmt::format("'{}' is not the name of a class like module:Name", record.class_name);
  std::set<std::string> names;
  for (const auto& [name, value] : record.fields) {
    if (name.empty() || !is_utf8(name) || !names.insert(name).second)
      return fmt::format("the class {} has a bad field '{}'", record.class_name, name);
    if (std::string defect = defect_at(value, value_count, depth + 1); !defect.empty()) return defect;
  }
  return {};
}

std::string defect_at(const ResultNode& node, std::size_t value_count, std::size_t depth) {
  if (depth > kDeepest) return fmt::format("it nests deeper than {}", kDeepest);
  return std::visit(
      Overloaded{
          [&](const ResultValue& value) {
            return value.index < value_count ? std::string()
                                             : fmt::format("value {} is not returned", value.index);
          },
          [](const ResultConstant& constant) {
            const auto* text = std::get_if<std::string>(&constant);
            return text == nullptr || is_utf8(*text) ? std::string() : std::string("a text is not UTF-8");
          },
          [&](const ResultList& list) {
            for (const ResultNode& item : list.items)
              if (std::string defect = defect_at(item, value_count, depth + 1); !defect.empty())
                return defect;
            return std::string();
          },
          [&](const ResultDict& dict) { return defect_of(dict, value_count, depth); },
          [&](const ResultRecord& record) { return defect_of(record, value_count, depth); },
          [](const ResultArgument&) { return std::string(); },
      },
      node);
}

std::string word_of(const ResultConstant& key) {
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string("None"); },
                        [](bool truth) { return std::string(truth ? "True" : "False"); },
                        [](std::int64_t number) { return std::to_string(number); },
                        [](double number) { return fmt::format("{}", number); },
                        [](const std::string& text) { return text; },
                    },
                    key);
}

std::string word_of(const ResultNode& key) {
  if (const auto* constant = std::get_if<ResultConstant>(&key)) return word_of(*constant);
  std::string text;
  for (const ResultNode& item : std::get<ResultList>(key).items)
    text += (text.empty() ? "" : ",") + word_of(item);
  return "(" + text + ")";
}

class LeafLister {
 public:
  std::vector<ResultLeaf> run(const ResultNode& tree) {
    visit(tree, "");
    return std::move(leaves_);
  }

 private:
  void visit(const ResultNode& node, const std::string& path) {
    const auto inside = [&](const std::string& word) { return path.empty() ? word : path + "." + word; };
    std::visit(Overloaded{
                   [&](const ResultValue& value) { leaves_.push_back({unique(path), value}); },
                   [&](const ResultConstant& constant) { leaves_.push_back({unique(path), constant}); },
                   [&](const ResultList& list) {
                     for (std::size_t index = 0; index < list.items.size(); ++index)
                       visit(list.items[index], inside(std::to_string(index)));
                   },
                   [&](const ResultDict& dict) {
                     for (const auto& [key, value] : dict.items) visit(value, inside(word_of(key)));
                   },
                   [&](const ResultRecord& record) {
                     for (const auto& [name, value] : record.fields) visit(value, inside(name));
                   },
                   [](const ResultArgument&) {},  // the caller has it
               },
               node);
  }

  // A dict may have the keys 1 and "1".
  std::string unique(const std::string& path) {
    std::string name = path;
    for (std::size_t next = 2; !taken_.insert(name).second; ++next) name = fmt::format("{}#{}", path, next);
    return name;
  }

  std::vector<ResultLeaf> leaves_;
  std::set<std::string> taken_;
};

}  // namespace

bool operator==(const ResultConstant& left, const ResultConstant& right) {
  if (left.index() != right.index()) return false;
  if (const auto* number = std::get_if<double>(&left))
    return std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(std::get<double>(right));
  using Base = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
  return static_cast<const Base&>(left) == static_cast<const Base&>(right);
}

bool operator==(const ResultNode& left, const ResultNode& right) {
  if (left.index() != right.index()) return false;
  return std::visit([&](const auto& part) { return part == std::get<std::decay_t<decltype(part)>>(right); },
                    left);
}

bool ResultList::operator==(const ResultList& other) const {
  return kind == other.kind && items == other.items;
}
bool ResultDict::operator==(const ResultDict& other) const { return items == other.items; }
bool ResultRecord::operator==(const ResultRecord& other) const {
  return kind == other.kind && class_name == other.class_name && fields == other.fields;
}

bool same_tree(const ResultTree& left, const ResultTree& right) {
  return left == right || (left != nullptr && right != nullptr && *left == *right);
}

std::string tree_defect(const ResultNode& tree, std::size_t value_count) {
  if (std::string defect = defect_at(tree, value_count, 0); !defect.empty()) return defect;
  // One value may stand in several places: the model returned one object twice.
  std::size_t next = 0;
  for (const ResultLeaf& leaf : leaves_of(tree)) {
    const auto* value = std::get_if<ResultValue>(&leaf.content);
    if (value == nullptr) continue;
    if (value->index > next) return "the values do not stand in it in the order of their first use";
    if (value->index == next) ++next;
  }
  return next == value_count ? "" : "a value does not stand in it";
}

std::vector<ResultLeaf> leaves_of(const ResultNode& tree) { return LeafLister().run(tree); }

bool holds_argument(const ResultNode& tree) {
  const auto in_second = [](const auto& pair) { return holds_argument(pair.second); };
  return std::visit(
      Overloaded{
          [](const ResultValue&) { return false; },
          [](const ResultConstant&) { return false; },
          [](const ResultList& list) { return std::ranges::any_of(list.items, holds_argument); },
          [&](const ResultDict& dict) { return std::ranges::any_of(dict.items, in_second); },
          [&](const ResultRecord& record) { return std::ranges::any_of(record.fields, in_second); },
          [](const ResultArgument&) { return true; },
      },
      tree);
}

}  // namespace dycl
