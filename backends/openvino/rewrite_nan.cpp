// SPDX-License-Identifier: Apache-2.0
// OpenVINO's kernels drop NaN wherever the machine's min and max instructions do: these return their
// second operand when either is NaN. So the operand that may be NaN goes second, or is put back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/operator_traits.h"
#include "rewrite.h"
#include "rewrite_linear.h"

namespace dycl::openvino {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void relu(const Node& node, DType dtype, GraphEditor& editor) {
  editor.add("Max", {editor.scalar(dtype, 0), node.inputs[0]});
}

void keep_nan_of_input(const Node& node, DType /*dtype*/, GraphEditor& editor) {
  keep_nan(editor, node.inputs[0], editor.append_renamed(node));
}

// Infinity times erf's 1 comes out as NaN.
void gelu(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string infinity = editor.scalar(dtype, std::numeric_limits<double>::infinity());
  editor.add("Where",
             {editor.add("Equal", {node.inputs[0], infinity}), node.inputs[0], editor.append_renamed(node)});
}

// OpenVINO makes SoftPlus of log(exp(x) + 1), which does not overflow where that does.
void logarithm(const Node& node, DType dtype, GraphEditor& editor) {
  const bool is_of_sum = editor.facts().of(node.inputs[0]).producer == "Add";
  editor.add("Log", {is_of_sum ? add_barrier(node.inputs[0], dtype, editor) : node.inputs[0]});
}

void thresholded_relu(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string alpha = editor.scalar(dtype, node.real("alpha", 1.0F));
  editor.add("Where", {editor.add("Less", {alpha, node.inputs[0]}), node.inputs[0], editor.scalar(dtype, 0)});
}

// A constant that cannot be NaN itself (only f32 is looked into).
bool is_number(const ValueFacts& facts) {
  if (facts.constant == nullptr || facts.dtype != DType::F32) return false;
  const auto elements = f32_elements(*facts.constant);
  return elements && std::ranges::none_of(*elements, [](float element) { return std::isnan(element); });
}

// Adds Min or Max as a comparison, because OpenVINO turns a Min and a Max that follow each other into Clamp,
// and Max(x, c * x) into PRelu, which drop NaN. No comparison of a number with NaN is true, so NaN stays.
std::string add_extremum(const std::string& op, const std::string& first, const std::string& second,
                         GraphEditor& editor) {
  const bool first_is_number = is_number(editor.facts().of(first));
  if (first_is_number && op == "Max")
    return editor.add(op, {first, second});  // one instruction; merged with none
  std::string takes_first =
      op == "Min" ? editor.add("Less", {first, second}) : editor.add("Less", {second, first});
  if (!first_is_number) takes_first = editor.add("Or", {takes_first, editor.add("IsNaN", {first})});
  return editor.add("Where", {takes_first, first, second});
}

void extremum(const Node& node, DType /*dtype*/, GraphEditor& editor) {
  std::string result = node.inputs[0];
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    std::string other = node.inputs[i];
    if (is_number(editor.facts().of(other))) std::swap(result, other);
    result = add_extremum(node.op, result, other, editor);
  }
  if (node.inputs.size() == 1) editor.add("Identity", {result});
}

void swapped_comparison(const Node& node, DType /*dtype*/, GraphEditor& editor) {
  editor.add(node.op == "Greater" ? "Less" : "LessOrEqual", {node.inputs[1], node.inputs[0]});
}

// Where the node's own reduction, over the same axes, meets a NaN.
std::string any_nan(const Node& node, GraphEditor& editor) {
  const std::string flags = editor.cast(editor.add("IsNaN", {node.inputs[0]}), DType::F32);
  const Attribute* axes = node.find("axes");
  std::string count;
  if (axes != nullptr &&
      editor.opset() >= 13) {  // ReduceSum takes its axes as an input earlier than the others
    count = editor.reduce("ReduceSum", flags, axes->ints, node.integer("keepdims", 1) != 0);
  } else {
    Node sum = node;
    sum.op = "ReduceSum";
    sum.inputs[0] = flags;
    count = editor.append_renamed(std::move(sum));
  }
  return editor.add("Less", {editor.scalar(DType::F32, 0), count});
}

// OpenVINO starts from the largest finite number, so all-infinite and empty inputs come out finite.
// Halving first makes that start double to an infinity; halving and doubling are exact otherwise.
std::string halved_and_doubled(const Node& node, DType dtype, GraphEditor& editor) {
  Node halved = node;
  halved.inputs[0] = editor.add("Mul", {node.inputs[0], editor.scalar(dtype, 0.5)});
  return editor.add("Mul", {editor.append_renamed(halved), editor.scalar(dtype, 2)});
}

void reduce_extremum(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string result = halved_and_doubled(node, dtype, editor);
  const std::string lost = any_nan(node, editor);
  editor.add("Where", {lost, editor.scalar(dtype, kNan), result});
}

// The same pooling over marks finds the windows that hold a NaN.
void max_pool(const Node& node, DType dtype, GraphEditor& editor) {
  const bool may_be_infinite = !has_trait(editor.facts().of(node.inputs[0]).producer, Trait::BoundedBelow);
  const std::string result =
      may_be_infinite ? halved_and_doubled(node, dtype, editor) : editor.append_renamed(node);
  Node marks = node;
  marks.inputs[0] = editor.cast(editor.add("IsNaN", {node.inputs[0]}), DType::F32);
  marks.outputs.resize(1);
  const std::string lost =
      editor.add("Less", {editor.scalar(DType::F32, 0), editor.append_renamed(std::move(marks))});
  editor.add("Where", {lost, editor.scalar(dtype, kNan), result});
}

// The mean of nothing is NaN, not 0.
void mean(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string result = editor.append_renamed(node);
  const std::string size = editor.add("Size", {node.inputs[0]});
  const std::string is_empty = editor.add("Equal", {size, editor.scalar(DType::I64, 0)});
  editor.add("Where", {is_empty, editor.scalar(dtype, kNan), result});
}

void reduce_log_sum_exp(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string result = editor.append_renamed(node);
  editor.add("Where", {any_nan(node, editor), editor.scalar(dtype, kNan), result});
}

// One NaN makes its whole row NaN; OpenVINO spoils only the element. And its exponential ends at -87.3, which
// makes small shares 0: so the squares of the shares of x / 2, divided by their sum, through which NaN
// spreads.
std::string softmax_along(Node node, std::int64_t axis, DType dtype, GraphEditor& editor) {
  if (node.op == "LogSoftmax") {
    const std::string result = editor.append_renamed(std::move(node));
    const std::string sum = editor.reduce("ReduceSum", result, {axis}, true);
    return editor.add("Where", {editor.add("IsNaN", {sum}), sum, result});
  }
  node.inputs[0] = editor.add("Mul", {node.inputs[0], editor.scalar(dtype, 0.5)});
  const std::string root = editor.append_renamed(std::move(node));
  const std::string square = editor.add("Mul", {root, root});
  return editor.add("Div", {square, editor.reduce("ReduceSum", square, {axis}, true)});
}

void softmax(const Node& node, DType dtype, GraphEditor& editor) {
  softmax_along(node, node.integer("axis", -1), dtype, editor);
}

// Before opset 13 all axes from `axis` on are one row.
void softmax_of_rows(const Node& node, DType dtype, GraphEditor& editor) {
  const std::int64_t axis = node.integer("axis", 1);
  Node flatten{"Flatten", "", "", {node.inputs[0]}, {editor.fresh_name()}, {int_valued("axis", axis)}};
  Node rows{node.op, "", node.name, flatten.outputs, {editor.fresh_name()}, {int_valued("axis", 1)}};
  editor.append(std::move(flatten));
  const std::string shares = softmax_along(std::move(rows), 1, dtype, editor);
  editor.add("Reshape", {shares, editor.add("Shape", {node.inputs[0]})});
}

using Rewrite = void (*)(const Node&, DType, GraphEditor&);

Rewrite find_rewrite(const Node& node, const GraphEditor& editor) {
  const std::string& op = node.op;
  if (op == "Relu") return relu;
  if (op == "HardSigmoid" || op == "Celu" || op == "Clip") return keep_nan_of_input;
  if (op == "Gelu") return gelu;
  if (op == "Log") return logarithm;
  if (op == "ThresholdedRelu") return thresholded_relu;
  if (op == "Max" || op == "Min") return extremum;
  if (op == "Greater" || op == "GreaterOrEqual") return swapped_comparison;
  if (op == "Softmax" || op == "LogSoftmax") return editor.opset() >= 13 ? softmax : softmax_of_rows;
  if (op == "MaxPool" || op == "GlobalMaxPool") return max_pool;
  if (op == "ReduceMax" || op == "ReduceMin") return reduce_extremum;
  if (op == "ReduceLogSumExp") return reduce_log_sum_exp;
  if (op == "ReduceMean" && !is_surely_not_empty(editor.facts().of(node.inputs[0]))) return mean;
  if (drops_axes(node)) return reduce_alone;
  return nullptr;
}

}  // namespace

std::string keep_nan(GraphEditor& editor, const std::string& value, const std::string& result) {
  return editor.add("Where", {editor.add("IsNaN", {value}), value, result});
}

bool rewrite_nan(const Node& node, GraphEditor& editor) {
  if (node.inputs.size() == 0 || node.outputs.size() == 0) return false;
  const auto dtype = editor.facts().dtype(node.inputs[0]);
  const Rewrite rewrite = dtype && is_float(*dtype) ? find_rewrite(node, editor) : nullptr;
  if (rewrite == nullptr) return false;
  rewrite(node, *dtype, editor);
  editor.name_last_output(node.outputs[0]);
  return true;
}

}  // namespace dycl::openvino
