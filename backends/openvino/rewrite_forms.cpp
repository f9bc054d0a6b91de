// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "rewrite.h"

namespace dycl::openvino {
namespace {

// ceil(size / count) each, the last piece what is left. Computed in the graph, where OpenVINO folds it
// if the size is known; its own way gives empty pieces when it is not.
bool rewrite_split(const Node& node, GraphEditor& editor) {
  const Attribute* number = node.find("num_outputs");
  const std::int64_t count = std::ssize(node.outputs);
  if (number == nullptr || node.has_input(1) || number->i != count) return false;
  std::vector<std::int64_t> order(node.outputs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::string size =
      editor.add("Gather", {editor.add("Shape", {node.inputs[0]}), editor.list({node.integer("axis", 0)})});
  const std::string piece =
      editor.add("Div", {editor.add("Add", {size, editor.list({count - 1})}), editor.list({count})});
  const std::string left = editor.add("Sub", {size, editor.add("Mul", {editor.list(order), piece})});
  const std::string sizes = editor.add("Max", {editor.list({0}), editor.add("Min", {piece, left})});
  Node changed = node;
  std::erase_if(changed.attributes,
                [](const Attribute& attribute) { return attribute.name == "num_outputs"; });
  changed.inputs = {node.inputs[0], sizes};
  editor.append(std::move(changed));
  return true;
}

// Anything but zero is true, NaN too, which OpenVINO's own cast takes for false.
bool rewrite_cast(const Node& node, GraphEditor& editor) {
  const auto from = editor.facts().dtype(node.inputs[0]);
  const auto to = editor.facts().dtype(node.outputs[0]);
  if (!from || !to) return false;
  if (*to == DType::Bool && is_float(*from)) {
    editor.add("Not", {editor.add("Equal", {node.inputs[0], editor.scalar(*from, 0)})});
  } else if (node.op == "CastLike") {
    editor.cast(node.inputs[0], *to);
  } else {
    return false;
  }
  editor.name_last_output(node.outputs[0]);
  return true;
}

// Without training nothing is dropped, and the mask says so.
bool rewrite_dropout(const Node& node, GraphEditor& editor) {
  editor.append({"Identity", "", node.name, {node.inputs[0]}, {node.outputs[0]}, {}});
  if (!node.has_output(1)) return true;
  const std::string shape = editor.add("Shape", {node.inputs[0]});
  editor.add("Expand", {editor.scalar(DType::Bool, 1), shape});
  editor.name_last_output(node.outputs[1]);
  return true;
}

}  // namespace

bool drops_axes(const Node& node) {
  return node.op.starts_with("Reduce") && node.integer("keepdims", 1) == 0;
}

void reduce_alone(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string result = editor.append_renamed(node);
  const std::string value = editor.scalar(dtype, is_float(dtype) ? std::nan("") : 0);
  const std::string has_it =
      is_float(dtype) ? editor.add("IsNaN", {result}) : editor.add("Equal", {result, value});
  editor.add("Where", {has_it, value, result});
}

bool rewrite_forms(const Node& node, GraphEditor& editor) {
  if (node.op == "Split") return rewrite_split(node, editor);
  if (node.op == "Dropout") return rewrite_dropout(node, editor);
  if (node.op == "Cast" || node.op == "CastLike") return rewrite_cast(node, editor);
  return false;
}

}  // namespace dycl::openvino
