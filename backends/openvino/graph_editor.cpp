// SPDX-License-Identifier: Apache-2.0
#include "graph_editor.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace dycl::openvino {
namespace {

template <class T>
void append_bytes(std::string& bytes, T value) {
  const char* raw = reinterpret_cast<const char*>(&value);
  bytes.append(raw, sizeof(T));
}

// Only numbers that both formats hold exactly are written (0, 1, 2, 0.5, limits, NaN, infinities).
std::uint16_t bf16_bits(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

std::uint16_t f16_bits(float value) {
  if (std::isnan(value)) return 0x7e00;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  if (size == 0) return sign;
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00U);
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);  // size = fraction * 2^exponent, fraction in [0.5, 1)
  const auto mantissa = static_cast<std::uint16_t>(std::lround((fraction * 2 - 1) * 1024));
  return static_cast<std::uint16_t>(sign + (static_cast<unsigned>(exponent + 14) << 10U) + mantissa);
}

std::string scalar_bytes(DType dtype, double value) {
  std::string bytes;
  const auto integer = static_cast<std::int64_t>(std::isfinite(value) ? value : 0);
  switch (dtype) {
    case DType::F32: append_bytes(bytes, static_cast<float>(value)); break;
    case DType::F64: append_bytes(bytes, value); break;
    case DType::F16: append_bytes(bytes, f16_bits(static_cast<float>(value))); break;
    case DType::BF16: append_bytes(bytes, bf16_bits(static_cast<float>(value))); break;
    default:
      append_bytes(bytes, integer);
      bytes.resize(bit_width(dtype) / 8);
      break;  // little-endian
  }
  return bytes;
}

}  // namespace

std::string GraphEditor::fresh_name() { return fmt::format("{}{}", prefix_, next_++); }

void GraphEditor::append(Node node) { target_->nodes.push_back(std::move(node)); }

std::string GraphEditor::append_renamed(Node node) {
  std::string name = node.outputs[0] = fresh_name();
  append(std::move(node));
  return name;
}

void GraphEditor::name_last_output(const std::string& name) { target_->nodes.back().outputs[0] = name; }

std::string GraphEditor::add(const std::string& op, std::initializer_list<std::string> inputs) {
  std::string output = fresh_name();
  append({op, "", output, inputs, {output}, {}});
  return output;
}

std::string GraphEditor::cast(const std::string& value, DType to) {
  std::string output = add("Cast", {value});
  target_->nodes.back().attributes.push_back(int_valued("to", static_cast<std::int64_t>(to)));
  return output;
}

std::string GraphEditor::reduce(const std::string& op, const std::string& value,
                                const std::vector<std::int64_t>& axes, bool keepdims) {
  const bool axes_are_an_input = opset_ >= (op == "ReduceSum" ? 13 : 18);
  std::string output = axes_are_an_input && !axes.empty() ? add(op, {value, list(axes)}) : add(op, {value});
  auto& attributes = target_->nodes.back().attributes;
  attributes.push_back(int_valued("keepdims", keepdims ? 1 : 0));
  if (!axes_are_an_input && !axes.empty()) attributes.push_back(ints_valued("axes", axes));
  return output;
}

std::string GraphEditor::scalar(DType dtype, double value) {
  Tensor& tensor = target_->initializers.emplace_back();
  tensor.name = fresh_name();
  tensor.dtype = static_cast<std::int32_t>(dtype);
  tensor.raw = scalar_bytes(dtype, value);
  return tensor.name;
}

std::string GraphEditor::list(std::vector<std::int64_t> values) {
  Tensor& tensor = target_->initializers.emplace_back();
  tensor.name = fresh_name();
  tensor.dtype = static_cast<std::int32_t>(DType::I64);
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.integers = std::move(values);
  return tensor.name;
}

}  // namespace dycl::openvino
