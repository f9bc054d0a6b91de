// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rewrite.h"

namespace dycl::openvino {
namespace {

// How many elements are marked, as the f32 scalar a Guard holds.
std::string count_true(const std::string& marks, GraphEditor& editor) {
  return editor.reduce("ReduceSum", editor.cast(marks, DType::F32), {}, false);
}

std::string describe(const Node& node, const std::string& what) {
  return node.name.empty() ? fmt::format("{}: {}", node.op, what)
                           : fmt::format("{} '{}': {}", node.op, node.name, what);
}

struct Indexing {
  std::int64_t axis = 0;
  bool is_tuple = false;     // the indices' last axis addresses several axes, from `axis` on
  bool must_be_tame = true;  // OpenVINO touches stray memory otherwise
};

std::optional<Indexing> indexing_of(const Node& node) {
  const std::string& op = node.op;
  const std::int64_t axis = node.integer("axis", 0);
  if (op == "Gather") return Indexing{axis, false, false};
  if (op == "GatherElements" || op == "ScatterElements" || op == "Scatter")
    return Indexing{axis, false, true};
  if (op != "GatherND" && op != "ScatterND") return std::nullopt;
  return Indexing{node.integer("batch_dims", 0), true, true};
}

// The sizes that indices are measured against, as an i64 value that broadcasts over them.
std::string sizes(const Node& node, const Indexing& indexing, GraphEditor& editor) {
  const std::string shape = editor.add("Shape", {node.inputs[0]});
  if (!indexing.is_tuple) return editor.add("Gather", {shape, editor.list({indexing.axis})});
  const std::string index_shape = editor.add("Shape", {node.inputs[1]});
  const std::string count = editor.add("Gather", {index_shape, editor.list({-1})});
  const std::string begin = editor.list({indexing.axis});
  return editor.add("Slice", {shape, begin, editor.add("Add", {begin, count})});
}

// Constant indices into something whose size is known need no check at run time, nor do constant
// indices into a shape.
bool is_surely_in_range(const Node& node, const Indexing& indexing, const GraphFacts& facts) {
  const auto* constant = facts.of(node.inputs[1]).constant;
  const auto indices = constant == nullptr ? std::nullopt : integer_elements(*constant);
  if (!indices || indexing.is_tuple) return false;
  const ValueFacts& data = facts.of(node.inputs[0]);
  if (data.producer == "Shape") return true;
  if (!data.dims) return false;
  const auto rank = static_cast<std::int64_t>(data.dims->size());
  const std::int64_t axis = indexing.axis < 0 ? indexing.axis + rank : indexing.axis;
  if (axis < 0 || axis >= rank) return false;
  const std::int64_t size = (*data.dims)[static_cast<std::size_t>(axis)];
  return size >= 0 &&
         std::ranges::all_of(*indices, [&](auto index) { return index >= -size && index < size; });
}

// Even index 0 touches stray memory where an indexed axis is empty. Empty axes then get one element, by
// padding; the shape that comes out does not matter, since the check of the same indices fails.
std::string never_empty(const Node& node, const std::string& indexed_sizes, GraphEditor& editor) {
  const std::string& data = node.inputs[0];
  if (is_surely_not_empty(editor.facts().of(data))) return data;
  const std::string zero = editor.list({0});
  const auto is_zero = [&](const std::string& value) {
    return editor.cast(editor.add("Equal", {value, zero}), DType::I64);
  };
  const std::string nothing_indexed = editor.reduce("ReduceSum", is_zero(indexed_sizes), {}, false);
  const std::string is_used = editor.add("Min", {editor.list({1}), editor.add("Size", {node.inputs[1]})});
  const std::string shape = editor.add("Shape", {data});
  const std::string needed =
      editor.add("Min", {editor.add("Mul", {nothing_indexed, is_used}), editor.list({1})});
  const std::string after = editor.add("Mul", {is_zero(shape), needed});
  Node pads{"Concat",
            "",
            "",
            {editor.add("Sub", {shape, shape}), after},
            {editor.fresh_name()},
            {int_valued("axis", 0)}};
  editor.append(pads);
  return editor.add("Pad", {data, pads.outputs[0]});
}

Node guard_indices(const Node& node, const Indexing& indexing, GraphEditor& editor,
                   std::vector<Guard>& guards) {
  Node tame = node;
  const std::string indices = editor.cast(node.inputs[1], DType::I64);
  const std::string size = sizes(node, indexing, editor);
  const std::string below =
      editor.add("Less", {editor.add("Add", {indices, size}), editor.scalar(DType::I64, 0)});
  const std::string beyond = editor.add("LessOrEqual", {size, indices});
  guards.push_back(
      {count_true(editor.add("Or", {below, beyond}), editor), describe(node, "an index is out of range")});
  if (!indexing.must_be_tame) return tame;
  tame.inputs[0] = never_empty(node, size, editor);
  const std::string zero = editor.scalar(DType::I64, 0);
  const std::string from_end = editor.add("Less", {indices, zero});
  const std::string positive = editor.add("Where", {from_end, editor.add("Add", {indices, size}), indices});
  const std::string last = editor.add("Sub", {size, editor.scalar(DType::I64, 1)});
  tame.inputs[1] = (editor.add("Max", {zero, editor.add("Min", {positive, last})}));
  return tame;
}

void guard_divisor(const Node& node, GraphEditor& editor, std::vector<Guard>& guards) {
  const auto dtype = editor.facts().dtype(node.inputs[1]);
  if (!dtype || !is_integer(*dtype)) return;
  if (const auto* constant = editor.facts().of(node.inputs[1]).constant) {
    const auto elements = integer_elements(*constant);
    if (elements && std::ranges::find(*elements, 0) == elements->end()) return;
  }
  const std::string zeros = editor.add("Equal", {node.inputs[1], editor.scalar(*dtype, 0)});
  guards.push_back({count_true(zeros, editor), describe(node, "an integer is divided by zero")});
}

// The cast itself would give the smallest 32-bit integer for anything that does not fit.
void guard_cast(const Node& node, std::int64_t largest, GraphEditor& editor, std::vector<Guard>& guards) {
  const auto from = editor.facts().dtype(node.inputs[0]);
  const auto to = editor.facts().dtype(node.outputs[0]);
  if (!from || !to || !is_float(*from)) return;
  const bool is_limited = *to == DType::I32 && largest < INT32_MAX;
  if (!is_limited && *to != DType::I64 && *to != DType::U64 && *to != DType::U32) return;
  const std::string end = editor.scalar(*from, static_cast<double>(largest) + 1);
  const std::string fits = editor.add("Less", {editor.add("Abs", {node.inputs[0]}), end});
  std::string bad = editor.add("Not", {fits});
  if (*to == DType::U32 || *to == DType::U64)
    bad = editor.add("Or", {bad, editor.add("LessOrEqual", {node.inputs[0], editor.scalar(*from, -1)})});
  guards.push_back(
      {count_true(bad, editor),
       describe(node, fmt::format("a number is NaN or beyond what openvino computes exactly as {} here "
                                  "(±{}); compile for onnxruntime",
                                  name_of(*to), largest))});
}

// The same result in f32 tells whether the exact one fits: rounding is monotone.
void guard_result(const Node& node, std::int64_t largest, GraphEditor& editor, std::vector<Guard>& guards) {
  const auto magnitude = [&](const std::string& value) {
    return editor.add("Abs", {editor.cast(value, DType::F32)});
  };
  Node in_f32 = node;
  in_f32.inputs[0] = magnitude(node.inputs[0]);
  if (node.op == "Mul") in_f32.inputs[1] = magnitude(node.inputs[1]);
  const double most = static_cast<double>(node.op == "Mul" ? largest : exact_in_f32);
  const std::string result = editor.append_renamed(std::move(in_f32));
  // A little below the limit, for the rounding of the product itself.
  const std::string end = editor.scalar(DType::F32, most * (1 - 0x1p-20));
  guards.push_back(
      {count_true(editor.add("Less", {end, result}), editor),
       describe(node,
                "an integer result is beyond what openvino computes exactly; compile for onnxruntime")});
}

// The values are mended (rewrite_nan.cpp); the places that come with them are wrong where a window holds
// NaN or nothing but -inf, which shows as the lowest number.
void guard_places(const Node& node, GraphEditor& editor, std::vector<Guard>& guards) {
  const auto dtype = editor.facts().dtype(node.inputs[0]);
  if (!node.has_output(1) || !dtype || !is_float(*dtype)) return;
  Node values = node;
  values.outputs.resize(1);
  const std::string lowest = editor.scalar(DType::F32, std::numeric_limits<float>::lowest());
  const std::string found = editor.cast(editor.append_renamed(std::move(values)), DType::F32);
  guards.push_back({count_true(editor.add("LessOrEqual", {found, lowest}), editor),
                    describe(node, "the place of a maximum over -inf alone is asked for")});
  guards.push_back({count_true(editor.add("IsNaN", {node.inputs[0]}), editor),
                    describe(node, "the place of a maximum over NaN is asked for")});
}

}  // namespace

Node guard_node(const Node& node, const IntegerLimit& limit, GraphEditor& editor,
                std::vector<Guard>& guards) {
  if (node.inputs.size() == 0 || node.outputs.size() == 0) return node;
  if (const auto indexing = indexing_of(node)) {
    return is_surely_in_range(node, *indexing, editor.facts())
               ? node
               : guard_indices(node, *indexing, editor, guards);
  }
  if (limit.checked_results.contains(node.outputs[0])) guard_result(node, limit.largest, editor, guards);
  if (node.op == "MaxPool") guard_places(node, editor, guards);
  if (node.op == "Div" || node.op == "Mod") guard_divisor(node, editor, guards);
  if (node.op == "Cast" || node.op == "CastLike") guard_cast(node, limit.largest, editor, guards);
  return node;
}

}  // namespace dycl::openvino
