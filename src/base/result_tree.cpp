// SPDX-License-Identifier: Apache-2.0
#include "base/result_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/overloaded.h"
#include "base/utf8.h"

namespace dycl {
namespace {

constexpr std::size_t kDeepest = 64;            // walks recurse: hostile nesting must not exhaust the stack
constexpr std::size_t kMostLeaves = 1'000'000;  // lists that repeat lists would double them without end

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

std::string defect_of(const ResultConstant& constant) {
  const auto* text = std::get_if<std::string>(&constant);
  return text == nullptr || is_utf8(*text) ? std::string() : std::string("a text is not UTF-8");
}

class DefectFinder {
 public:
  explicit DefectFinder(std::size_t value_count) : value_count_(value_count) {}

  std::string at(const ResultNode& node, std::size_t depth) {
    if (depth > kDeepest) return fmt::format("it nests deeper than {}", kDeepest);
    return std::visit([&](const auto& part) { return of(part, depth); }, node);
  }

 private:
  std::string of(const ResultValue& value, std::size_t) {
    ++leaves_;
    return value.index < value_count_ ? "" : fmt::format("value {} is not returned", value.index);
  }

  std::string of(const ResultConstant& constant, std::size_t) {
    ++leaves_;
    return defect_of(constant);
  }

  std::string of(const ResultArgument&, std::size_t) { return {}; }

  std::string of(const ResultSame& same, std::size_t) {
    if (same.number >= finished_.size() || !finished_[same.number])
      return fmt::format("it repeats part {}, which is not complete before it", same.number);
    leaves_ += *finished_[same.number];
    return leaves_ <= kMostLeaves ? "" : fmt::format("it has more than {} values", kMostLeaves);
  }

  std::string of(const ResultList& list, std::size_t depth) {
    return container([&] {
      for (const ResultNode& item : list.items)
        if (std::string defect = at(item, depth + 1); !defect.empty()) return defect;
      return std::string();
    });
  }

  std::string of(const ResultDict& dict, std::size_t depth) {
    return container([&] {
      for (const auto& [key, value] : dict.items) {
        if (!is_key(key, depth)) return std::string("a key of a dict is not a constant");
        if (std::string defect = defect_of_key(key); !defect.empty()) return defect;
        if (std::string defect = at(value, depth + 1); !defect.empty()) return defect;
      }
      return std::string();
    });
  }

  std::string of(const ResultRecord& record, std::size_t depth) {
    if (!is_class_name(record.class_name))
      return fmt::format("'{}' is not the name of a class like module:Name", record.class_name);
    return container([&] {
      std::set<std::string> names;
      for (const auto& [name, value] : record.fields) {
        if (name.empty() || !is_utf8(name) || !names.insert(name).second)
          return fmt::format("the class {} has a bad field '{}'", record.class_name, name);
        if (std::string defect = at(value, depth + 1); !defect.empty()) return defect;
      }
      return std::string();
    });
  }

  static std::string defect_of_key(const ResultNode& key) {
    if (const auto* constant = std::get_if<ResultConstant>(&key)) return defect_of(*constant);
    for (const ResultNode& item : std::get<ResultList>(key).items)
      if (std::string defect = defect_of_key(item); !defect.empty()) return defect;
    return {};
  }

  template <class Inside>
  std::string container(const Inside& inside) {
    const std::size_t number = finished_.size(), before = leaves_;
    finished_.emplace_back();
    std::string defect = inside();
    finished_[number] = leaves_ - before;
    return defect;
  }

  std::size_t value_count_;
  std::size_t leaves_ = 0;
  std::vector<std::optional<std::size_t>> finished_;  // the leaves of each container
};

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
    std::visit([&](const auto& part) { add(part, node, path); }, node);
  }

  static std::string inside(const std::string& path, const std::string& word) {
    return path.empty() ? word : path + "." + word;
  }

  void add(const ResultValue& value, const ResultNode&, const std::string& path) {
    leaves_.push_back({take_unique_name(path, taken_), value});
  }
  void add(const ResultConstant& constant, const ResultNode&, const std::string& path) {
    leaves_.push_back({take_unique_name(path, taken_), constant});
  }
  void add(const ResultArgument&, const ResultNode&, const std::string&) {}  // the caller has it

  void add(const ResultList& list, const ResultNode& node, const std::string& path) {
    note(node);
    for (std::size_t index = 0; index < list.items.size(); ++index)
      visit(list.items[index], inside(path, std::to_string(index)));
  }
  void add(const ResultDict& dict, const ResultNode& node, const std::string& path) {
    note(node);
    for (const auto& [key, value] : dict.items) visit(value, inside(path, word_of(key)));
  }
  void add(const ResultRecord& record, const ResultNode& node, const std::string& path) {
    note(node);
    for (const auto& [name, value] : record.fields) visit(value, inside(path, name));
  }
  void add(const ResultSame& same, const ResultNode&, const std::string& path) {
    ++repeating_;
    visit(*containers_[same.number], path);
    --repeating_;
  }

  void note(const ResultNode& container) {
    if (repeating_ == 0) containers_.push_back(&container);
  }

  std::vector<ResultLeaf> leaves_;
  std::set<std::string> taken_;
  std::vector<const ResultNode*> containers_;
  std::size_t repeating_ = 0;
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
  if (std::string defect = DefectFinder(value_count).at(tree, 0); !defect.empty()) return defect;
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

// A dict may have the keys 1 and "1".
std::string take_unique_name(const std::string& name, std::set<std::string>& taken) {
  std::string unique = name;
  for (std::size_t next = 2; !taken.insert(unique).second; ++next) unique = fmt::format("{}#{}", name, next);
  return unique;
}

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
          [](const ResultSame&) { return false; },
      },
      tree);
}

}  // namespace dycl
