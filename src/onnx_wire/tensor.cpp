// SPDX-License-Identifier: Apache-2.0
#include "onnx_wire/tensor.h"

#include <cstring>

#include "base/dtype.h"

namespace dycl::onnx_wire {
namespace {

template <class T>
std::vector<std::int64_t> elements_as(const std::string& raw) {
  std::vector<std::int64_t> values(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value{};
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

}  // namespace

std::optional<std::vector<std::int64_t>> integer_elements(const Tensor& tensor) {
  const auto dtype = dtype_from_number(tensor.dtype);
  if (!dtype || tensor.is_external || bit_width(*dtype) < 8) return std::nullopt;
  if (!is_integer(*dtype) && *dtype != DType::Bool) return std::nullopt;
  if (tensor.raw.empty()) return tensor.integers;
  switch (*dtype) {
    case DType::I8: return elements_as<std::int8_t>(tensor.raw);
    case DType::U8:
    case DType::Bool: return elements_as<std::uint8_t>(tensor.raw);
    case DType::I16: return elements_as<std::int16_t>(tensor.raw);
    case DType::U16: return elements_as<std::uint16_t>(tensor.raw);
    case DType::I32: return elements_as<std::int32_t>(tensor.raw);
    case DType::U32: return elements_as<std::uint32_t>(tensor.raw);
    default: return elements_as<std::int64_t>(tensor.raw);
  }
}

std::optional<std::vector<float>> f32_elements(const Tensor& tensor) {
  if (tensor.dtype != static_cast<std::int32_t>(DType::F32) || tensor.is_external) return std::nullopt;
  if (tensor.raw.empty()) return tensor.floats;
  std::vector<float> values(tensor.raw.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.raw.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace dycl::onnx_wire
