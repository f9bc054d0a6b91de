// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/operator_traits.h"
#include "rewrite.h"

namespace dycl::openvino {
namespace {

using Names = std::set<std::string, std::less<>>;

const Names kWrapping = {"Add", "Sub", "Mul", "Neg", "Abs", "Sum", "CumSum"};
const Names kRounding = {"Div"};  // on 8 bits the quotient is rounded to nearest instead of cut

bool is_small(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8 || dtype == DType::I16 || dtype == DType::U16;
}

// The sign of the difference survives rounding to f32; integer_range has shown that it fits.
void compare_difference(const Node& node, DType dtype, GraphEditor& editor) {
  // Unsigned differences may be negative; the values are known to fit the signed type.
  const DType wide = dtype == DType::U32 || dtype == DType::U64 ? DType::I32 : dtype;
  const auto widened = [&](const std::string& value) {
    return wide == dtype ? value : editor.cast(value, wide);
  };
  const std::string difference = editor.add("Sub", {widened(node.inputs[0]), widened(node.inputs[1])});
  editor.add(node.op, {difference, editor.scalar(wide, 0)});
  editor.name_last_output(node.outputs[0]);
}

// ONNX's Mod takes the divisor's sign. OpenVINO's own way there subtracts a product that f32 rounds; its
// C-like remainder is exact, and moving that by one divisor is too.
void modulo(const Node& node, DType dtype, GraphEditor& editor) {
  Node remainder = node;
  std::erase_if(remainder.attributes, [](const Attribute& attribute) { return attribute.name == "fmod"; });
  remainder.attributes.push_back(int_valued("fmod", 1));
  if (dtype == DType::U32 || dtype == DType::U64) {
    editor.append(std::move(remainder));
    return;
  }
  const std::string rest = editor.append_renamed(std::move(remainder));
  const std::string zero = editor.scalar(dtype, 0);
  const std::string signs_differ =
      editor.add("Xor", {editor.add("Less", {rest, zero}), editor.add("Less", {node.inputs[1], zero})});
  const std::string is_rest = editor.add("Not", {editor.add("Equal", {rest, zero})});
  const std::string moved = editor.add("Add", {rest, node.inputs[1]});
  editor.add("Where", {editor.add("And", {is_rest, signs_differ}), moved, rest});
  editor.name_last_output(node.outputs[0]);
}

void through_i32(const Node& node, DType dtype, GraphEditor& editor) {
  Node wide = node;
  const std::size_t data_inputs = node.op == "CumSum" ? 1 : node.inputs.size();
  for (std::size_t i = 0; i < data_inputs; ++i) wide.inputs[i] = (editor.cast(node.inputs[i], DType::I32));
  editor.cast(editor.append_renamed(std::move(wide)), dtype);
  editor.name_last_output(node.outputs[0]);
}

}  // namespace

bool rewrite_integers(const Node& node, GraphEditor& editor) {
  if (node.inputs.size() == 0 || node.outputs.size() == 0) return false;
  const auto dtype = editor.facts().dtype(node.inputs[0]);
  if (!dtype || !is_integer(*dtype)) return false;
  if (is_small(*dtype)) {
    if (!kWrapping.contains(node.op) && !kRounding.contains(node.op)) return false;
    through_i32(node, *dtype, editor);
    return true;
  }
  if (has_trait(node.op, Trait::Compares)) {
    compare_difference(node, *dtype, editor);
    return true;
  }
  if (node.op == "Mod" && node.integer("fmod", 0) == 0) {
    modulo(node, *dtype, editor);
    return true;
  }
  if (drops_axes(node)) {
    reduce_alone(node, *dtype, editor);
  } else if (node.op == "Relu") {
    editor.add("Max", {editor.scalar(*dtype, 0), node.inputs[0]});  // Relu itself goes through f32
  } else {
    return false;
  }
  editor.name_last_output(node.outputs[0]);
  return true;
}

}  // namespace dycl::openvino
