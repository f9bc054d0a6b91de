// SPDX-License-Identifier: Apache-2.0
#include "base/element.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace dycl {
namespace {

template <class T>
T load(const std::byte* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

template <class T>
void store(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof value);
}

// A floating-point format of at most 16 bits.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum class Specials : std::uint8_t { Ieee, NanOnlyAllOnes, NanIsNegativeZero, None } specials;
};

constexpr SmallFloat kHalf{5, 10, 15, SmallFloat::Specials::Ieee};
constexpr SmallFloat kBrain{8, 7, 127, SmallFloat::Specials::Ieee};
constexpr SmallFloat kE4m3fn{4, 3, 7, SmallFloat::Specials::NanOnlyAllOnes};
constexpr SmallFloat kE4m3fnuz{4, 3, 8, SmallFloat::Specials::NanIsNegativeZero};
constexpr SmallFloat kE5m2{5, 2, 15, SmallFloat::Specials::Ieee};
constexpr SmallFloat kE5m2fnuz{5, 2, 16, SmallFloat::Specials::NanIsNegativeZero};
constexpr SmallFloat kE2m1{2, 1, 1, SmallFloat::Specials::None};

double decode(unsigned bits, SmallFloat format) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const unsigned sign_bit = 1u << width;
  const unsigned magnitude = bits & (sign_bit - 1);
  const unsigned mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const unsigned exponent = magnitude >> format.mantissa_bits;
  const unsigned top_exponent = (1u << format.exponent_bits) - 1;
  const double sign = (bits & sign_bit) != 0 ? -1.0 : 1.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  switch (format.specials) {
    case SmallFloat::Specials::Ieee:
      if (exponent == top_exponent)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : nan;
      break;
    case SmallFloat::Specials::NanOnlyAllOnes:
      if (magnitude == sign_bit - 1) return nan;
      break;
    case SmallFloat::Specials::NanIsNegativeZero:
      if ((bits & (2 * sign_bit - 1)) == sign_bit) return nan;
      break;
    case SmallFloat::Specials::None: break;
  }
  const int scale = 1 - format.bias - format.mantissa_bits;
  if (exponent == 0) return sign * std::ldexp(mantissa, scale);
  return sign * std::ldexp(mantissa + (1u << format.mantissa_bits), static_cast<int>(exponent) - 1 + scale);
}

// IEEE formats only: rounds to nearest even, overflows to infinity.
unsigned encode(double value, SmallFloat format) {
  const unsigned sign = std::signbit(value) ? 1u << (format.exponent_bits + format.mantissa_bits) : 0;
  const unsigned infinity = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
  if (std::isnan(value)) return sign | infinity | 1u << (format.mantissa_bits - 1);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = f · 2^exponent, f in [0.5, 1)
  const int lowest = 1 - format.bias;
  const int used = std::max(exponent - 1, lowest);  // subnormals share the lowest exponent
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - used));
  // Rounding up may carry into the exponent, which the addition does by itself.
  const double code = units + static_cast<double>(used - lowest) * (1u << format.mantissa_bits);
  return sign | (code >= infinity ? infinity : static_cast<unsigned>(code));
}

Scalar small_integer(unsigned bits, int width, bool is_signed) {
  const unsigned value = bits & ((1u << width) - 1);
  const unsigned sign = is_signed ? 1u << (width - 1) : 0;
  return static_cast<std::int64_t>(value ^ sign) - static_cast<std::int64_t>(sign);
}

Result<Scalar> from_u64(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return raised("OverflowError", fmt::format("{} does not fit into 64 bits", value));
  return static_cast<std::int64_t>(value);
}

template <class T>
Scalar integer_at(const std::byte* source) {
  return static_cast<std::int64_t>(load<T>(source));
}

Failure does_not_fit(std::int64_t value, DType dtype) {
  return raised("OverflowError", fmt::format("{} does not fit into {}", value, name_of(dtype)));
}

template <class T>
Status store_integer(std::int64_t value, DType dtype, std::byte* target) {
  if (!std::in_range<T>(value)) return does_not_fit(value, dtype);
  store(target, static_cast<T>(value));
  return {};
}

Status store_small_integer(std::int64_t value, DType dtype, int width, bool is_signed, std::byte* target) {
  const std::int64_t low = is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << width) - 1;
  if (value < low || value > high) return does_not_fit(value, dtype);
  *target = static_cast<std::byte>(value & ((1 << width) - 1));
  return {};
}

Status write_integer(std::int64_t value, DType dtype, std::byte* target) {
  switch (dtype) {
    case DType::U8: return store_integer<std::uint8_t>(value, dtype, target);
    case DType::I8: return store_integer<std::int8_t>(value, dtype, target);
    case DType::U16: return store_integer<std::uint16_t>(value, dtype, target);
    case DType::I16: return store_integer<std::int16_t>(value, dtype, target);
    case DType::U32: return store_integer<std::uint32_t>(value, dtype, target);
    case DType::I32: return store_integer<std::int32_t>(value, dtype, target);
    case DType::U64: return store_integer<std::uint64_t>(value, dtype, target);
    case DType::U4: return store_small_integer(value, dtype, 4, false, target);
    case DType::I4: return store_small_integer(value, dtype, 4, true, target);
    case DType::U2: return store_small_integer(value, dtype, 2, false, target);
    case DType::I2: return store_small_integer(value, dtype, 2, true, target);
    case DType::I64: return store_integer<std::int64_t>(value, dtype, target);
    case DType::Bool:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::F8E4M3FN:
    case DType::F8E4M3FNUZ:
    case DType::F8E5M2:
    case DType::F8E5M2FNUZ:
    case DType::F8E8M0:
    case DType::F4E2M1:
    case DType::String:
    case DType::C64:
    case DType::C128: break;
  }
  internal_error("an integer was written as an element of another kind");
}

// int → f32 directly: by way of a double it would be rounded twice.
float to_f32(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<float>(value); }, scalar);
}

}  // namespace

Result<Scalar> read_element(DType dtype, const std::byte* source) {
  const auto byte = [&] { return std::to_integer<unsigned>(*source); };
  switch (dtype) {
    case DType::Bool: return Scalar(*source != std::byte{0});
    case DType::F32: return Scalar(static_cast<double>(load<float>(source)));
    case DType::F64: return Scalar(load<double>(source));
    case DType::U8: return integer_at<std::uint8_t>(source);
    case DType::I8: return integer_at<std::int8_t>(source);
    case DType::U16: return integer_at<std::uint16_t>(source);
    case DType::I16: return integer_at<std::int16_t>(source);
    case DType::U32: return integer_at<std::uint32_t>(source);
    case DType::I32: return integer_at<std::int32_t>(source);
    case DType::I64: return integer_at<std::int64_t>(source);
    case DType::U64: return from_u64(load<std::uint64_t>(source));
    case DType::U4: return small_integer(byte(), 4, false);
    case DType::I4: return small_integer(byte(), 4, true);
    case DType::U2: return small_integer(byte(), 2, false);
    case DType::I2: return small_integer(byte(), 2, true);
    case DType::F16: return Scalar(decode(load<std::uint16_t>(source), kHalf));
    case DType::BF16: return Scalar(decode(load<std::uint16_t>(source), kBrain));
    case DType::F8E4M3FN: return Scalar(decode(byte(), kE4m3fn));
    case DType::F8E4M3FNUZ: return Scalar(decode(byte(), kE4m3fnuz));
    case DType::F8E5M2: return Scalar(decode(byte(), kE5m2));
    case DType::F8E5M2FNUZ: return Scalar(decode(byte(), kE5m2fnuz));
    case DType::F4E2M1: return Scalar(decode(byte() & 0xF, kE2m1));
    case DType::F8E8M0:  // a bare power of two
      return Scalar(byte() == 0xFF ? std::numeric_limits<double>::quiet_NaN()
                                   : std::ldexp(1.0, static_cast<int>(byte()) - 127));
    case DType::String:
    case DType::C64:
    case DType::C128: break;
  }
  return fail(Blame::Unsupported, "scalar.dtype",
              fmt::format("an element of type {} cannot become a host scalar", name_of(dtype)));
}

Result<Scalar> element_at(const TensorData& tensor, std::size_t index) {
  const std::size_t first_bit = index * bit_width(tensor.dtype);  // strings have no width, and are refused
  if (first_bit % 8 == 0) return read_element(tensor.dtype, tensor.bytes.data() + first_bit / 8);
  const std::byte element = tensor.bytes[first_bit / 8] >> (first_bit % 8);
  return read_element(tensor.dtype, &element);
}

Result<Scalar> convert_scalar(const Scalar& scalar, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return Scalar(scalar_to_bool(scalar));
    case ScalarKind::F64: return Scalar(scalar_to_float(scalar));
    case ScalarKind::I64: break;
  }
  auto integer = scalar_to_int(scalar);
  if (!integer) return failure_of(std::move(integer));
  return Scalar(*integer);
}

Status write_element(const Scalar& scalar, DType dtype, std::byte* target) {
  switch (dtype) {
    case DType::Bool: *target = std::byte{scalar_to_bool(scalar)}; return {};
    case DType::F32: store(target, to_f32(scalar)); return {};
    case DType::F64: store(target, scalar_to_float(scalar)); return {};
    case DType::F16:
      store(target, static_cast<std::uint16_t>(encode(scalar_to_float(scalar), kHalf)));
      return {};
    case DType::BF16:
      store(target, static_cast<std::uint16_t>(encode(scalar_to_float(scalar), kBrain)));
      return {};
    default: break;
  }
  if (!is_integer(dtype))
    return fail(Blame::Unsupported, "scalar.dtype",
                fmt::format("a host scalar cannot become an element of type {}", name_of(dtype)));
  auto integer = scalar_to_int(scalar);
  if (!integer) return failure_of(std::move(integer));
  return write_integer(*integer, dtype, target);
}

Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims) {
  std::vector<std::byte> bytes(byte_size(dtype, 1).value_or(0));
  if (Status written = write_element(scalar, dtype, bytes.data()); !written)
    return failure_of(std::move(written));
  return make_tensor(dtype, std::move(dims), std::move(bytes));
}

}  // namespace dycl
