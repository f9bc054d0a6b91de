// SPDX-License-Identifier: Apache-2.0
#include "capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/operator_traits.h"

namespace dycl::openvino {
namespace {

using Names = std::set<std::string, std::less<>>;

// Seen right on ONNX's own cases and on the hard values of the conformance suite, with the rewrites of
// this folder.
const Names kTrusted = {"Abs",
                        "Acos",
                        "Acosh",
                        "Add",
                        "And",
                        "ArgMax",
                        "ArgMin",
                        "Asin",
                        "Asinh",
                        "Atan",
                        "Atanh",
                        "AveragePool",
                        "BatchNormalization",
                        "BitwiseAnd",
                        "BitwiseNot",
                        "BitwiseOr",
                        "BitwiseXor",
                        "Cast",
                        "CastLike",
                        "Ceil",
                        "Celu",
                        "Clip",
                        "Compress",
                        "Concat",
                        "Constant",
                        "ConstantOfShape",
                        "Conv",
                        "ConvTranspose",
                        "Cos",
                        "Cosh",
                        "CumSum",
                        "DepthToSpace",
                        "DequantizeLinear",
                        "Div",
                        "Dropout",
                        "Einsum",
                        "Elu",
                        "Equal",
                        "Erf",
                        "Exp",
                        "Expand",
                        "EyeLike",
                        "Flatten",
                        "Floor",
                        "GRU",
                        "Gather",
                        "GatherElements",
                        "GatherND",
                        "Gelu",
                        "Gemm",
                        "GlobalAveragePool",
                        "GlobalMaxPool",
                        "Greater",
                        "GreaterOrEqual",
                        "GridSample",
                        "GroupNormalization",
                        "HardSigmoid",
                        "HardSwish",
                        "Hardmax",
                        "Identity",
                        "InstanceNormalization",
                        "IsInf",
                        "IsNaN",
                        "LRN",
                        "LSTM",
                        "LayerNormalization",
                        "LeakyRelu",
                        "Less",
                        "LessOrEqual",
                        "Log",
                        "LogSoftmax",
                        "LpNormalization",
                        "LpPool",
                        "MatMul",
                        "Max",
                        "MaxPool",
                        "Mean",
                        "MeanVarianceNormalization",
                        "Min",
                        "Mish",
                        "Mod",
                        "Mul",
                        "Neg",
                        "NonZero",
                        "Not",
                        "OneHot",
                        "Or",
                        "PRelu",
                        "Pad",
                        "Pow",
                        "RMSNormalization",
                        "RNN",
                        "Range",
                        "Reciprocal",
                        "ReduceL1",
                        "ReduceL2",
                        "ReduceLogSum",
                        "ReduceLogSumExp",
                        "ReduceMax",
                        "ReduceMean",
                        "ReduceMin",
                        "ReduceProd",
                        "ReduceSum",
                        "ReduceSumSquare",
                        "Relu",
                        "Reshape",
                        "Resize",
                        "ReverseSequence",
                        "RotaryEmbedding",
                        "Round",
                        "Scatter",
                        "ScatterElements",
                        "ScatterND",
                        "Selu",
                        "Shape",
                        "Shrink",
                        "Sigmoid",
                        "Sign",
                        "Sin",
                        "Sinh",
                        "Size",
                        "Slice",
                        "Softmax",
                        "Softplus",
                        "Softsign",
                        "SpaceToDepth",
                        "Split",
                        "Sqrt",
                        "Squeeze",
                        "Sub",
                        "Sum",
                        "Swish",
                        "Tan",
                        "Tanh",
                        "ThresholdedRelu",
                        "Tile",
                        "TopK",
                        "Transpose",
                        "Trilu",
                        "Unsqueeze",
                        "Upsample",
                        "Where",
                        "Xor"};

bool is_constant(const Node& node, std::size_t input, const GraphFacts& facts) {
  return node.inputs.size() > input && facts.of(node.inputs[input]).constant != nullptr;
}

std::string refuse_resize(const Node& node) {
  if (node.integer("antialias", 0) != 0) return "antialias gives other numbers";
  if (node.integer("exclude_outside", 0) != 0) return "exclude_outside is ignored";
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return "keep_aspect_ratio_policy is ignored";
  if (node.text("coordinate_transformation_mode", "half_pixel") == "align_corners")
    return "align_corners gives other numbers when scales are given";
  return {};
}

std::string refuse_recurrent(const Node& node) {
  if (node.has_input(7)) return "peepholes are ignored";
  return node.integer("layout", 0) == 0 ? "" : "layout=1 gives final states of a wrong shape";
}

std::string refuse_max_pool(const Node& node) {
  return node.integer("ceil_mode", 0) == 0 ? "" : "ceil_mode gives a wrong shape at some sizes";
}

std::string refuse_space_to_depth(const Node& node) {
  return node.text("mode", "DCR") == "DCR" ? "" : "mode CRD is ignored";
}

std::string refuse_tile(const Node& node, const GraphFacts& facts) {
  return is_constant(node, 1, facts) ? "" : "repeats that are not constant make it return stray memory";
}

// ONNX orders equal elements by index; OpenVINO does not, so only the values can be trusted.
std::string refuse_top_k(const Node& node) {
  const bool gives_indices = node.outputs.size() > 1 && !node.outputs[1].empty();
  return gives_indices ? "the order of equal elements is not kept" : "";
}

std::string refuse_scatter(const Node& node) {
  return node.text("reduction", "none") == "none" ? "" : "reductions are not proven";
}

// Training mode would draw random numbers; a constant false (or nothing) says that it is off.
std::string refuse_dropout(const Node& node, const GraphFacts& facts) {
  if (!node.has_input(2)) return {};
  const Tensor* mode = facts.of(node.inputs[2]).constant;
  const auto flags = mode == nullptr ? std::nullopt : integer_elements(*mode);
  const bool is_off = flags && flags->size() == 1 && flags->front() == 0;
  return is_off ? "" : "randomness is not reproduced";
}

// OpenVINO divides by the number of indices.
std::string refuse_gather(const Node& node, const GraphFacts& facts) {
  const auto& dims = facts.of(node.inputs[1]).dims;
  const bool is_empty = is_constant(node, 1, facts) && dims && std::ranges::find(*dims, 0) != dims->end();
  return is_empty ? "constant indices without an element make it crash" : "";
}

// a - trunc(a / b) * b, computed in f32, is not the remainder: 1.0 mod 0.1 gives 0.
std::string refuse_mod(const Node& node, const GraphFacts& facts) {
  const auto dtype = facts.dtype(node.inputs[0]);
  return dtype && is_float(*dtype) ? "the remainder of floats is not exact" : "";
}

// The check against writing into nothing needs an operator that came with opset 11, as did its successor.
std::string refuse_old_scatter(const Node& node, const GraphFacts& facts) {
  return is_surely_not_empty(facts.of(node.inputs[0])) ? "" : "writing into an empty tensor is not checked";
}

std::string refuse_by_attribute(const Node& node, const GraphFacts& facts) {
  const std::string& op = node.op;
  if (op == "Resize" || op == "Upsample") return refuse_resize(node);
  if (op == "LSTM" || op == "GRU" || op == "RNN") return refuse_recurrent(node);
  if (op == "MaxPool") return refuse_max_pool(node);
  if (op == "SpaceToDepth") return refuse_space_to_depth(node);
  if (op == "Tile") return refuse_tile(node, facts);
  if (op == "TopK") return refuse_top_k(node);
  if (op == "ScatterND" || op == "ScatterElements") return refuse_scatter(node);
  if (op == "Scatter") return refuse_old_scatter(node, facts);
  if (op == "Gather") return refuse_gather(node, facts);
  if (op == "Dropout") return refuse_dropout(node, facts);
  if (op == "Mod") return refuse_mod(node, facts);
  return {};
}

std::string refuse_dtype(DType dtype) {
  const auto table = dtype_table();
  const auto found = table.find(std::string(name_of(dtype)));
  if (found == table.end()) return "not handed to openvino";
  return found->second == "yes" ? "" : found->second.substr(std::string_view("refused: ").size());
}

// Operators whose integer arithmetic was not seen to be exact, in any range.
const Names kNoIntegers = {"ReduceMean", "ReduceL1",        "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
                           "ReduceProd", "ReduceSumSquare", "Gemm",     "Einsum",       "Mean"};

std::string refuse_value(const std::string& value, const Node& node, const GraphFacts& facts) {
  const auto dtype = facts.dtype(value);
  if (!dtype) return fmt::format("{}: the element type of '{}' is not known", node.op, value);
  const std::string reason = refuse_dtype(*dtype);
  if (!reason.empty()) return fmt::format("{} on {}: {}", node.op, name_of(*dtype), reason);
  if (is_integer(*dtype) && kNoIntegers.contains(node.op))
    return fmt::format("{} on {}: integers are computed as f32", node.op, name_of(*dtype));
  return {};
}

std::string refuse_dtypes(const Node& node, const GraphFacts& facts) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const bool is_parameter = i > 0 && kNoIntegers.contains(node.op);  // the axes of a reduction
    if (node.inputs[i].empty() || is_parameter) continue;
    if (std::string reason = refuse_value(node.inputs[i], node, facts); !reason.empty()) return reason;
  }
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    if (std::string reason = refuse_value(output, node, facts); !reason.empty()) return reason;
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> dtype_table() {
  std::map<std::string, std::string> table;
  for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
    table[std::string(name_of(*dtype))] = "refused: not handed to openvino";
  for (const char* name :
       {"f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "i64", "u32", "u64", "bool"})
    table[name] = "yes";
  table["f64"] = "refused: openvino computes f64 as f32";
  table["str"] = "refused: openvino has no string operators here";
  return table;
}

std::string refusal(const Node& node, const GraphFacts& facts) {
  if (!node.domain.empty() && node.domain != "ai.onnx")
    return fmt::format("{} of domain {}: only ONNX's own operators are trusted", node.op, node.domain);
  if (!kTrusted.contains(node.op))
    return fmt::format("{}: openvino lacks it or was not seen to compute it rightly", node.op);
  // The rewrites rely on these inputs being there.
  if (node.inputs.size() < fewest_operands(node.op) || node.outputs.empty())
    return fmt::format("{}: an input or output is missing", node.op);
  if (std::string reason = refuse_dtypes(node, facts); !reason.empty()) return reason;
  const std::string reason = refuse_by_attribute(node, facts);
  return reason.empty() ? reason : fmt::format("{}: {}", node.op, reason);
}

std::optional<plugin::Refusal> first_refusal(const Model& model, const GraphFacts& facts) {
  for (std::size_t index = 0; index < model.nodes.size(); ++index)
    if (std::string reason = refusal(model.nodes[index], facts); !reason.empty())
      return plugin::Refusal{std::move(reason), index};
  return std::nullopt;
}

}  // namespace dycl::openvino
