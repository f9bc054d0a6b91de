// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rewrite.h"

namespace dycl::openvino {
namespace {

// ceil(size / count) each, the last piece what is left.
std::vector<std::int64_t> even_sizes(std::int64_t size, std::int64_t count) {
  const std::int64_t piece = (size + count - 1) / count;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < count; ++i)
    sizes.push_back(std::max<std::int64_t>(0, std::min(piece, size - i * piece)));
  return sizes;
}

bool rewrite_split(const Node& node, GraphEditor& editor) {
  const auto* number = node.find("num_outputs");
  const auto& dims = editor.facts().of(node.inputs[0]).dims;
  if (number == nullptr || !dims) return false;
  std::int64_t axis = node.integer("axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(dims->size());
  if (axis < 0 || axis >= static_cast<std::int64_t>(dims->size())) return false;
  const std::int64_t size = (*dims)[static_cast<std::size_t>(axis)];
  if (size < 0 || number->i < 1 || number->i != std::ssize(node.outputs)) return false;
  Node changed = node;
  std::erase_if(changed.attributes,
                [](const Attribute& attribute) { return attribute.name == "num_outputs"; });
  changed.inputs.resize(2);
  changed.inputs[1] = editor.list(even_sizes(size, number->i));
  editor.append(changed);
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

}  // namespace

bool rewrite_forms(const Node& node, GraphEditor& editor) {
  if (node.op == "Split") return rewrite_split(node, editor);
  if (node.op == "Cast" || node.op == "CastLike") return rewrite_cast(node, editor);
  return false;
}

}  // namespace dycl::openvino
