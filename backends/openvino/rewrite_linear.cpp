// SPDX-License-Identifier: Apache-2.0
#include "rewrite_linear.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "base/operator_traits.h"

namespace dycl::openvino {
namespace {

using Names = std::set<std::string, std::less<>>;

// OpenVINO moves these past arithmetic.
bool is_moved(const std::string& op) {
  static const Names others = {"Identity", "Dropout", "Transpose", "Cast", "CastLike"};
  return has_trait(op, Trait::Resizes) || others.contains(op);
}
// Their results jump where an operand changes by its last bit.
bool judges(const std::string& op) {
  static const Names others = {"Floor", "Ceil", "Round", "Sign", "Cast", "Mod"};
  return has_trait(op, Trait::Compares) || others.contains(op);
}
// rewrite_nan.cpp lets these end in a multiplication by 2.
const Names kDoubled = {"MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"};
const Names kWeighted = {"Conv", "ConvTranspose", "MatMul", "Gemm"};

// Merging constants of this size into weights moves a result by no more than rounding does anyway.
constexpr float kLargestTerm = 256;
constexpr float kSmallestFactor = 0x1p-20F;
constexpr float kLargestFactor = 0x1p20F;
constexpr float kOrdinary = 0x1p-100F;  // not close to the smallest numbers

}  // namespace

std::string add_barrier(const std::string& value, DType dtype, GraphEditor& editor) {
  return editor.add("Max", {editor.scalar(dtype, -std::numeric_limits<double>::infinity()), value});
}

LinearChains::LinearChains(const std::vector<Node>& nodes, const std::vector<ValueInfo>& outputs,
                           const GraphFacts& facts)
    : facts_(&facts) {
  for (const Node& node : nodes) add(node);
  for (const ValueInfo& output : outputs) judged_.insert(output.name);
  for (const Node& node : std::views::reverse(nodes)) {
    const bool moves = is_moved(node.op) && judged_.contains(node.outputs[0]);
    if (moves || judges(node.op)) judged_.insert(node.inputs.begin(), node.inputs.end());
  }
}

void LinearChains::add(const Node& node) {
  if (node.outputs.empty()) return;
  if (stays_normal(node)) normal_.insert(node.outputs[0]);
  const bool is_fixed = node.op == "Shape" || node.op == "Size" ||
                        std::ranges::all_of(node.inputs, [&](const std::string& input) {
                          return input.empty() || is_constant(input);
                        });
  if (is_fixed) {
    constants_.insert(node.outputs.begin(), node.outputs.end());
    return;
  }
  if (is_moved(node.op)) {
    const auto before = links_.find(node.inputs[0]);
    if (before == links_.end()) return;
    const Link copy = before->second;
    links_.emplace(node.outputs[0], copy);
    return;
  }
  if (kDoubled.contains(node.op)) {
    links_.emplace(node.outputs[0], Link{0, false, true, false, false});
    return;
  }
  std::optional<Link> link = link_of(node);
  if (!link) return;
  const auto before = links_.find(node.inputs[link->operand]);
  if (before != links_.end() && before->second.is_weighted && !is_merged(before->second, *link))
    link->is_weighted = true;
  links_.emplace(node.outputs[0], *link);
}

bool LinearChains::is_constant(const std::string& value) const {
  return constants_.contains(value) || facts_->of(value).constant != nullptr;
}

// Constants that are only known after folding may be anything.
bool LinearChains::lies_within(const std::string& constant, float smallest, float largest) const {
  const Tensor* tensor = facts_->of(constant).constant;
  const auto elements = tensor == nullptr ? std::nullopt : f32_elements(*tensor);
  return elements && std::ranges::all_of(*elements, [&](float element) {
           const float size = std::fabs(element);
           return size <= largest && (size >= smallest || size == 0);
         });
}

bool LinearChains::may_be_vector(const std::string& value) const {
  const auto& dims = facts_->of(value).dims;
  return !dims || dims->size() < 2;
}

bool LinearChains::is_scalar(const std::string& value) const {
  const auto& dims = facts_->of(value).dims;
  return dims && std::ranges::all_of(*dims, [](std::int64_t size) { return size == 1; });
}

LinearChains::Link LinearChains::elementwise(const Node& node, bool adds) const {
  const std::size_t operand = is_constant(node.inputs[0]) ? 1 : 0;
  const std::string& constant = node.inputs[1 - operand];
  const bool is_ordinary =
      adds ? lies_within(constant, 0, kLargestTerm) : lies_within(constant, kSmallestFactor, kLargestFactor);
  return {operand, adds, !adds, false, !is_ordinary, false, !is_scalar(constant)};
}

// x * scale + (bias - mean * scale), where scale = gamma / sqrt(variance + epsilon).
LinearChains::Link LinearChains::normalization(const Node& node) const {
  Link link{0, true, true, false, true};
  std::vector<std::vector<float>> parameters;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Tensor* tensor = facts_->of(node.inputs[i]).constant;
    auto elements = tensor == nullptr ? std::nullopt : f32_elements(*tensor);
    if (!elements) return link;
    parameters.push_back(std::move(*elements));
  }
  const float epsilon = node.real("epsilon", 1e-5F);
  for (std::size_t i = 0; i < parameters[0].size(); ++i) {
    const float scale = std::fabs(parameters[0][i] / std::sqrt(parameters[3][i] + epsilon));
    const float term = std::max(std::fabs(parameters[1][i]), std::fabs(parameters[2][i] * scale));
    if (!(term <= kLargestTerm && scale <= kLargestFactor && (scale >= kSmallestFactor || scale == 0)))
      return link;
  }
  link.is_extreme = false;
  return link;
}

std::optional<LinearChains::Link> LinearChains::link_of(const Node& node) const {
  if (node.inputs.empty() || facts_->dtype(node.inputs[0]) != DType::F32) return std::nullopt;
  const std::string& op = node.op;
  if (kWeighted.contains(op)) {
    const bool has_bias = op != "MatMul" && node.has_input(2);
    const bool is_ordinary = !has_bias || lies_within(node.inputs[2], 0, kLargestTerm);
    const std::size_t operand = is_constant(node.inputs[0]) ? 1 : 0;
    return Link{operand, has_bias, true, true, !is_ordinary, op == "MatMul" && may_be_vector(node.inputs[1])};
  }
  if (op == "BatchNormalization" && node.inputs.size() == 5) return normalization(node);
  if (op == "Neg") return Link{0, false, true, false, false};
  if (node.inputs.size() != 2 || is_constant(node.inputs[0]) == is_constant(node.inputs[1]))
    return std::nullopt;
  if (op == "Add" || op == "Sub") return elementwise(node, true);
  if (op == "Mul" || (op == "Div" && is_constant(node.inputs[1]))) return elementwise(node, false);
  return std::nullopt;
}

// x * a + b stays as it is.
bool LinearChains::is_merged(const Link& before, const Link& link) const {
  if (!before.adds && !link.scales) return false;
  if (before.may_be_of_vectors && link.scales && link.is_wide) return true;
  const bool costs_little = !before.is_weighted && !link.is_weighted;
  return costs_little || before.is_extreme || link.is_extreme;
}

// Roots, sums with a constant of ordinary size, and what is at least such a constant.
bool LinearChains::stays_normal(const Node& node) const {
  const auto is_ordinary = [&](const std::string& value) {
    const Tensor* tensor = facts_->of(value).constant;
    const auto elements = tensor == nullptr ? std::nullopt : f32_elements(*tensor);
    return elements && std::ranges::all_of(*elements, [&](float element) {
             return (node.op == "Add" || node.op == "Sub" ? std::fabs(element) : element) >= kOrdinary;
           });
  };
  if (node.op == "Sqrt" || node.op == "ReduceL2") return true;
  if (is_moved(node.op)) return normal_.contains(node.inputs[0]);
  if (node.op == "Clip") return node.has_input(1) && is_ordinary(node.inputs[1]);
  return (node.op == "Add" || node.op == "Sub" || node.op == "Max") &&
         std::ranges::any_of(node.inputs, is_ordinary);
}

Node LinearChains::with_larger_divisor(const Node& node, GraphEditor& editor) const {
  if (node.op != "Div" || facts_->dtype(node.outputs[0]) != DType::F32) return node;
  const std::string& divisor = node.inputs[1];
  if (is_constant(divisor) ? lies_within(divisor, kOrdinary, std::numeric_limits<float>::infinity())
                           : normal_.contains(divisor))
    return node;
  const std::string is_small =
      editor.add("Less", {editor.add("Abs", {divisor}), editor.scalar(DType::F32, kOrdinary)});
  const std::string factor =
      editor.add("Where", {is_small, editor.scalar(DType::F32, 0x1p64), editor.scalar(DType::F32, 1)});
  Node changed = node;
  for (std::string& input : changed.inputs) input = editor.add("Mul", {input, factor});
  return changed;
}

// One step of Newton's: the remainder is exact, since OpenVINO makes one rounding of a * b + c.
bool LinearChains::divides_exactly(const Node& node, GraphEditor& editor) const {
  if (node.op != "Div" || facts_->dtype(node.outputs[0]) != DType::F32 || !judged_.contains(node.outputs[0]))
    return false;
  const std::string& divisor = node.inputs[1];
  const std::string quotient = add_barrier(editor.add("Div", {node.inputs[0], divisor}), DType::F32, editor);
  const std::string product = editor.add("Mul", {quotient, editor.add("Neg", {divisor})});
  const std::string rest = editor.add("Add", {product, node.inputs[0]});
  const std::string better = editor.add("Add", {editor.add("Div", {rest, divisor}), quotient});
  const std::string infinity = editor.scalar(DType::F32, std::numeric_limits<double>::infinity());
  const std::string is_finite = editor.add("Less", {editor.add("Abs", {rest}), infinity});
  editor.add("Where", {is_finite, better, quotient});
  editor.name_last_output(node.outputs[0]);
  return true;
}

Node LinearChains::separated(const Node& node, GraphEditor& editor) const {
  const auto link = link_of(node);
  // Erf after a division is made Gelu, which is NaN for infinity.
  if (!link && node.op != "Erf") return node;
  const std::size_t operand = link ? link->operand : 0;
  const auto before = links_.find(node.inputs[operand]);
  if (before == links_.end() || (link && !is_merged(before->second, *link))) return node;
  Node changed = node;
  changed.inputs[operand] = add_barrier(node.inputs[operand], DType::F32, editor);
  return changed;
}

}  // namespace dycl::openvino
