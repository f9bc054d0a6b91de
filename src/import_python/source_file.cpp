// SPDX-License-Identifier: Apache-2.0
#include "import_python/source_file.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <compare>
#include <optional>

namespace dycl::import_python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::object parse(const nb::list& lines, const std::string& name) {
  const nb::object text = nb::str("").attr("join")(lines);
  return nb::module_::import_("ast").attr("parse")(text, "filename"_a = name);
}

struct Point {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  auto operator<=>(const Point&) const = default;
};
struct Range {
  Point begin;
  Point end;
  [[nodiscard]] bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
};

Range range_of(Node node) {
  return {{node.number("lineno"), node.number("col_offset")},
          {node.number("end_lineno"), node.number("end_col_offset")}};
}

// From the first to the last column that an instruction of the code names; the compiler's own ones (empty
// or without columns) do not count.
std::optional<Range> extent(nb::handle code) {
  std::optional<Range> all;
  for (const nb::handle entry : code.attr("co_positions")()) {
    const nb::tuple at = nb::cast<nb::tuple>(entry);
    if (std::ranges::any_of(at, [](nb::handle part) { return part.is_none(); })) continue;
    const Range range = {{nb::cast<std::uint32_t>(at[0]), nb::cast<std::uint32_t>(at[2])},
                         {nb::cast<std::uint32_t>(at[1]), nb::cast<std::uint32_t>(at[3])}};
    if (range.begin == range.end) continue;
    if (!all) all = range;
    all->begin = std::min(all->begin, range.begin);
    all->end = std::max(all->end, range.end);
  }
  return all;
}

std::uint32_t first_line(Node node) {
  const std::vector<Node> decorators = node.children("decorator_list");
  return decorators.empty() ? node.number("lineno") : decorators.front().number("lineno");
}

// Equal code objects (bytecode, constants, names, inner code) at equal positions. Their own names may differ:
// torch renames what its decorators make.
bool same_code(nb::handle left, nb::handle right) {
  if (!left.attr("co_firstlineno").equal(right.attr("co_firstlineno"))) return false;
  if (!left.attr("co_code").equal(right.attr("co_code"))) return false;
  const nb::object renamed =
      left.attr("replace")("co_name"_a = right.attr("co_name"), "co_qualname"_a = right.attr("co_qualname"));
  if (!renamed.equal(right)) return false;
  const nb::list left_positions(left.attr("co_positions")());
  const nb::list right_positions(right.attr("co_positions")());
  return left_positions.equal(right_positions);
}

}  // namespace

SourceFile::SourceFile(std::string name, const nb::list& lines, int future_flags)
    : name_(std::move(name)),
      text_(lines),
      tree_(parse(lines, name_)),
      scopes_(Node(tree_), (future_flags & CO_FUTURE_ANNOTATIONS) != 0) {
  for (const nb::handle line : lines) lines_.push_back(nb::cast<std::string>(line));
  keeps_asserts_ = nb::cast<int>(nb::module_::import_("sys").attr("flags").attr("optimize")) == 0;
  const nb::object compile = nb::module_::import_("builtins").attr("compile");
  collect_codes(compile(nb::str("").attr("join")(lines), name_, "exec", "flags"_a = future_flags,
                        "dont_inherit"_a = true));
}

void SourceFile::collect_codes(nb::handle code) {
  for (const nb::handle constant : code.attr("co_consts")) {
    if (!PyCode_Check(constant.ptr())) continue;
    codes_.push_back(nb::borrow(constant));
    collect_codes(constant);
  }
}

const Scope* SourceFile::find(nb::handle code) const {
  const auto original =
      std::ranges::find_if(codes_, [&](const nb::object& each) { return same_code(each, code); });
  if (original == codes_.end()) return nullptr;
  const auto name = nb::cast<std::string>(original->attr("co_name"));
  const auto line = nb::cast<std::uint32_t>(code.attr("co_firstlineno"));
  const std::optional<Range> used = extent(code);
  const Scope* best = nullptr;
  for (const Scope* scope : scopes_.functions()) {
    if (scope->name != name || first_line(scope->node) != line) continue;
    const bool definition =
        scope->node.kind() == NodeKind::FunctionDef || scope->node.kind() == NodeKind::AsyncFunctionDef;
    if (definition) return scope;
    // Several lambdas or comprehensions on one line: the innermost that holds all of the code.
    const Range mine =
        range_of(scope->node.kind() == NodeKind::Lambda ? scope->node.child("body") : scope->node);
    if (used && !mine.contains(*used)) continue;
    if (best == nullptr || range_of(best->node).contains(range_of(scope->node))) best = scope;
  }
  return best;
}

program::Position SourceFile::position_of(Node node) const {
  program::Position position;
  position.line = node.number("lineno");
  position.column = column_of(position.line, node.number("col_offset"));
  position.end_line = node.number("end_lineno");
  position.end_column = column_of(position.end_line, node.number("end_col_offset"));
  return position;
}

// `ast` counts bytes of UTF-8; people count characters.
std::uint32_t SourceFile::column_of(std::uint32_t line, std::uint32_t byte_offset) const {
  if (line == 0 || line > lines_.size()) return byte_offset + 1;
  const std::string& text = lines_[line - 1];
  const auto end = text.begin() + std::min<std::ptrdiff_t>(byte_offset, std::ssize(text));
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::uint32_t>(std::count_if(text.begin(), end, is_first_byte)) + 1;
}

}  // namespace dycl::import_python
