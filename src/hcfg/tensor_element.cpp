// SPDX-License-Identifier: Apache-2.0
#include "hcfg/tensor_element.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace dycl {
namespace {

Failure unsupported(DType dtype) {
  return fail(Blame::Unsupported, "hcfg.element_type",
              fmt::format("elements of type {} cannot become scalars", name_of(dtype)));
}

template <class T>
T load(const TensorData& tensor, std::size_t index) {
  T element{};
  std::memcpy(&element, tensor.bytes.data() + index * sizeof element, sizeof element);
  return element;
}

template <class T>
Scalar load_int(const TensorData& tensor, std::size_t index) {
  return static_cast<std::int64_t>(load<T>(tensor, index));
}

Result<Scalar> load_u64(const TensorData& tensor, std::size_t index) {
  const auto element = load<std::uint64_t>(tensor, index);
  if (element > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return raised("OverflowError", fmt::format("{} does not fit into 64 bits", element));
  return Scalar(static_cast<std::int64_t>(element));
}

double half_to_double(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10U) & 31;
  const int mantissa = bits & 1023;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

// Rounds to nearest even in steps of the result's own precision; beyond 65504 and half a step: inf.
std::uint16_t double_to_half(double number) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000U : 0U);
  const double magnitude = std::fabs(number);
  if (std::isnan(number)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // The hidden bit of a normal number adds one to the exponent field, and so does a carry.
  return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10U) + units));
}

std::uint16_t double_to_bfloat(double number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (std::isnan(number)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

template <class T>
std::vector<std::byte> bytes_of(T element) {
  const auto raw = std::as_bytes(std::span(&element, 1));
  return {raw.begin(), raw.end()};
}

template <class T>
Result<std::vector<std::byte>> int_bytes(const Scalar& scalar, DType dtype) {
  auto integer = scalar_to_int(scalar);
  if (!integer) return failure_of(std::move(integer));
  if (!std::in_range<T>(*integer))
    return raised("OverflowError", fmt::format("{} does not fit into {}", *integer, name_of(dtype)));
  return bytes_of(static_cast<T>(*integer));
}

Result<std::vector<std::byte>> element_bytes(const Scalar& scalar, DType dtype) {
  const double number = scalar_to_float(scalar);
  switch (dtype) {
    case DType::Bool: return bytes_of(static_cast<std::uint8_t>(scalar_to_bool(scalar)));
    case DType::F32: return bytes_of(static_cast<float>(number));
    case DType::F64: return bytes_of(number);
    case DType::F16: return bytes_of(double_to_half(number));
    case DType::BF16: return bytes_of(double_to_bfloat(number));
    case DType::I8: return int_bytes<std::int8_t>(scalar, dtype);
    case DType::I16: return int_bytes<std::int16_t>(scalar, dtype);
    case DType::I32: return int_bytes<std::int32_t>(scalar, dtype);
    case DType::I64: return int_bytes<std::int64_t>(scalar, dtype);
    case DType::U8: return int_bytes<std::uint8_t>(scalar, dtype);
    case DType::U16: return int_bytes<std::uint16_t>(scalar, dtype);
    case DType::U32: return int_bytes<std::uint32_t>(scalar, dtype);
    case DType::U64: return int_bytes<std::uint64_t>(scalar, dtype);
    default: return unsupported(dtype);
  }
}

}  // namespace

Result<Scalar> element_at(const TensorData& tensor, std::size_t index) {
  switch (tensor.dtype) {
    case DType::Bool: return Scalar(load<std::uint8_t>(tensor, index) != 0);
    case DType::F32: return Scalar(static_cast<double>(load<float>(tensor, index)));
    case DType::F64: return Scalar(load<double>(tensor, index));
    case DType::F16: return Scalar(half_to_double(load<std::uint16_t>(tensor, index)));
    case DType::BF16: {
      const auto bits = static_cast<std::uint32_t>(load<std::uint16_t>(tensor, index)) << 16U;
      return Scalar(static_cast<double>(std::bit_cast<float>(bits)));
    }
    case DType::I8: return load_int<std::int8_t>(tensor, index);
    case DType::I16: return load_int<std::int16_t>(tensor, index);
    case DType::I32: return load_int<std::int32_t>(tensor, index);
    case DType::I64: return load_int<std::int64_t>(tensor, index);
    case DType::U8: return load_int<std::uint8_t>(tensor, index);
    case DType::U16: return load_int<std::uint16_t>(tensor, index);
    case DType::U32: return load_int<std::uint32_t>(tensor, index);
    case DType::U64: return load_u64(tensor, index);
    default: return unsupported(tensor.dtype);
  }
}

Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims) {
  auto bytes = element_bytes(scalar, dtype);
  if (!bytes) return failure_of(std::move(bytes));
  return make_tensor(dtype, std::move(dims), *std::move(bytes));
}

}  // namespace dycl
