// SPDX-License-Identifier: Apache-2.0
// The Python structure that one `return` gives back. It names tensors and numbers by their index in the
// returned values; everything else was known at compile time. Each `return` may have another structure.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dycl {

struct ResultNode;

// Stands for the `index`-th returned value: a tensor, a scalar (Python's bool, int or float), a sequence (a
// list) or an optional (None or the value).
struct ResultValue {
  std::size_t index = 0;
  bool operator==(const ResultValue&) const = default;
};

// None, True, 3, 0.5, "text".
struct ResultConstant : std::variant<std::monostate, bool, std::int64_t, double, std::string> {
  using variant::variant;
};
bool operator==(const ResultConstant& left, const ResultConstant& right);  // floats by bits

enum class ResultListKind : std::uint8_t { Tuple, List, Set };

struct ResultList {
  ResultListKind kind = ResultListKind::Tuple;
  std::vector<ResultNode> items;
  bool operator==(const ResultList&) const;
};

// Keys are constants or tuples of them, in the order of insertion.
struct ResultDict {
  std::vector<std::pair<ResultNode, ResultNode>> items;
  bool operator==(const ResultDict&) const;
};

enum class ResultRecordKind : std::uint8_t {
  Dataclass,
  NamedTuple,
  Object  // is made without calling its __init__; its fields are set as attributes
};

struct ResultRecord {
  ResultRecordKind kind = ResultRecordKind::Dataclass;
  std::string class_name;  // "module:qualified.name"
  std::vector<std::pair<std::string, ResultNode>> fields;
  bool operator==(const ResultRecord&) const;
};

// The very object that the caller has passed: a list, dict, object or tensor among the arguments, by its
// number (src/partial_eval/border/inputs.h).
struct ResultArgument {
  std::size_t number = 0;
  bool operator==(const ResultArgument&) const = default;
};

// The very object that stands in the tree before: its number among the lists, dicts and records, counted in
// their order (a key of a dict is not counted), of which it is none that this node lies in.
struct ResultSame {
  std::size_t number = 0;
  bool operator==(const ResultSame&) const = default;
};

struct ResultNode : std::variant<ResultValue, ResultConstant, ResultList, ResultDict, ResultRecord,
                                 ResultArgument, ResultSame> {
  using variant::variant;
};
bool operator==(const ResultNode& left, const ResultNode& right);

using ResultTree = std::shared_ptr<const ResultNode>;  // null: the values as they are, by the graph's outputs

bool same_tree(const ResultTree& left, const ResultTree& right);

// Checks that nesting is bounded, names are valid, and the values stand in order, each once. Returns an empty
// string, or what is wrong.
std::string tree_defect(const ResultNode& tree, std::size_t value_count);

// Lists the values and constants of a tree with their paths, in their order: "" (the result itself),
// "logits", "0", "1.x". It makes the paths unique. What stands in several places is listed in each.
struct ResultLeaf {
  std::string path;
  std::variant<ResultValue, ResultConstant> content;
};
std::vector<ResultLeaf> leaves_of(const ResultNode& tree);

// Returns `name`, or the first of "name#2", "name#3" … that is not taken, and takes it.
std::string take_unique_name(const std::string& name, std::set<std::string>& taken);

// Whether an object of the caller's stands in it.
bool holds_argument(const ResultNode& tree);

}  // namespace dycl
