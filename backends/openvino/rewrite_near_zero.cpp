// SPDX-License-Identifier: Apache-2.0
// Functions of which OpenVINO's own kernels give 0, or few digits, where the result is near zero: its
// exponential is 0 below -87.3 (and infinite above 88.3), and its error function, Mish and Softplus are right
// to 1e-7 only, however small they are.
#include <array>
#include <cmath>
#include <ranges>

#include "rewrite.h"
#include "rewrite_linear.h"

namespace dycl::openvino {
namespace {

// exp(x) = exp(h) * exp(x - h), where h is x held between -64 and 64; between these, exp(0) is 1.
void exponential(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string& x = node.inputs[0];
  const std::string below = editor.add("Min", {editor.scalar(dtype, 64), x});
  const std::string held = editor.add("Max", {editor.scalar(dtype, -64), below});
  const std::string rest = editor.add("Exp", {editor.add("Sub", {x, held})});
  keep_nan(editor, x, editor.add("Mul", {editor.add("Exp", {held}), rest}));
}

// The square of exp(x / 2), which is far from both ends; near 0 its last digit is not as good. Of NaN
// infinity.
std::string squared_root(const std::string& x, DType dtype, GraphEditor& editor) {
  const std::string root = editor.add("Exp", {editor.add("Mul", {x, editor.scalar(dtype, 0.5)})});
  return editor.add("Mul", {root, root});
}

void sigmoid(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string& x = node.inputs[0];
  const std::string one = editor.scalar(dtype, 1);
  const std::string power = squared_root(editor.add("Neg", {x}), dtype, editor);
  keep_nan(editor, x, editor.add("Div", {one, editor.add("Add", {power, one})}));
}

// max(x, 0) + log(1 + exp(-|x|)). Of u = 1 + e, log(u) * e / (u - 1) is log(1 + e) however u was rounded.
void softplus(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string& x = node.inputs[0];
  const std::string one = editor.scalar(dtype, 1);
  const std::string power = squared_root(editor.add("Neg", {editor.add("Abs", {x})}), dtype, editor);
  const std::string u = add_barrier(editor.add("Add", {power, one}), dtype, editor);
  const std::string excess = editor.add("Sub", {u, one});
  const std::string is_lost = editor.add("Equal", {excess, editor.scalar(dtype, 0)});
  const std::string divisor = editor.add("Where", {is_lost, one, excess});
  const std::string scaled = editor.add("Div", {editor.add("Mul", {editor.add("Log", {u}), power}), divisor});
  const std::string above = editor.add("Where", {is_lost, power, scaled});
  keep_nan(editor, x, editor.add("Add", {editor.add("Max", {editor.scalar(dtype, 0), x}), above}));
}

// x * n / (n + 2) of n = e * (e + 2), where e = exp(x), which is x from 20 on.
void mish(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string& x = node.inputs[0];
  const std::string limit = editor.scalar(dtype, 20);
  const std::string two = editor.scalar(dtype, 2);
  const std::string held = editor.add("Where", {editor.add("Less", {x, limit}), x, limit});
  const std::string power = squared_root(held, dtype, editor);
  const std::string n = editor.add("Mul", {power, editor.add("Add", {power, two})});
  editor.add("Mul", {x, editor.add("Div", {n, editor.add("Add", {n, two})})});
}

// 2 / sqrt(pi) * (-1)^n / n! / (2n + 1): of x^(2n + 1) in erf(x).
std::array<double, 7> error_function_series() {
  std::array<double, 7> terms{};
  double factor = 2 / std::sqrt(std::acos(-1));
  for (std::size_t n = 0; n < terms.size(); ++n) {
    terms[n] = factor / static_cast<double>(2 * n + 1);
    factor /= -static_cast<double>(n + 1);
  }
  return terms;
}

void error_function(const Node& node, DType dtype, GraphEditor& editor) {
  const std::string& x = node.inputs[0];
  const std::string square = editor.add("Mul", {x, x});
  const auto terms = error_function_series();
  std::string series = editor.scalar(dtype, terms.back());
  for (const double term : terms | std::views::take(terms.size() - 1) | std::views::reverse)
    series = editor.add("Add", {editor.add("Mul", {series, square}), editor.scalar(dtype, term)});
  const std::string near = editor.add("Mul", {series, x});
  const std::string far = editor.append_renamed(node);
  const std::string is_near = editor.add("Less", {editor.add("Abs", {x}), editor.scalar(dtype, 0.5)});
  editor.add("Where", {is_near, near, far});
}

using Rewrite = void (*)(const Node&, DType, GraphEditor&);

Rewrite find_rewrite(const std::string& op) {
  if (op == "Exp") return exponential;
  if (op == "Sigmoid") return sigmoid;
  if (op == "Softplus") return softplus;
  if (op == "Mish") return mish;
  if (op == "Erf") return error_function;
  return nullptr;
}

}  // namespace

bool rewrite_near_zero(const Node& node, GraphEditor& editor) {
  const Rewrite rewrite = find_rewrite(node.op);
  if (rewrite == nullptr || node.inputs.empty() || node.outputs.empty()) return false;
  const auto dtype = editor.facts().dtype(node.inputs[0]);
  if (!dtype || !is_float(*dtype)) return false;
  rewrite(node, *dtype, editor);
  editor.name_last_output(node.outputs[0]);
  return true;
}

}  // namespace dycl::openvino
