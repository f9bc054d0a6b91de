// SPDX-License-Identifier: Apache-2.0
// Converts single elements of tensors to numbers and back.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "host_rules/floats.h"
#include "host_rules/raised.h"

namespace dycl::host_rules {

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
  enum class Specials : std::uint8_t { Ieee, NanOnlyAllOnes, NanIsNegativeZero, None };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
};

constexpr SmallFloat kHalf{5, 10, 15, SmallFloat::Specials::Ieee};
constexpr SmallFloat kBrain{8, 7, 127, SmallFloat::Specials::Ieee};
constexpr SmallFloat kE4m3fn{4, 3, 7, SmallFloat::Specials::NanOnlyAllOnes};
constexpr SmallFloat kE4m3fnuz{4, 3, 8, SmallFloat::Specials::NanIsNegativeZero};
constexpr SmallFloat kE5m2{5, 2, 15, SmallFloat::Specials::Ieee};
constexpr SmallFloat kE5m2fnuz{5, 2, 16, SmallFloat::Specials::NanIsNegativeZero};
constexpr SmallFloat kE2m1{2, 1, 1, SmallFloat::Specials::None};

inline double decode(unsigned bits, SmallFloat format) {
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
      if (exponent == top_exponent) return mantissa == 0 ? sign * kInfinity : nan;
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

// A bare power of two.
inline double decode_exponent(unsigned bits) {
  return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

// For IEEE formats only: rounds to nearest even, overflows to infinity.
inline unsigned encode(double value, SmallFloat format) {
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

inline std::int64_t small_integer(unsigned bits, int width, bool is_signed) {
  const unsigned value = bits & ((1u << width) - 1);
  const unsigned sign = is_signed ? 1u << (width - 1) : 0;
  return static_cast<std::int64_t>(value ^ sign) - static_cast<std::int64_t>(sign);
}

inline std::int64_t from_u64(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(kLargestInt))
    raise_exception("OverflowError", std::to_string(value) + " does not fit into 64 bits");
  return static_cast<std::int64_t>(value);
}

// Calls visit(bool), visit(std::int64_t) or visit(double) with the element, and returns what it gives; a
// sub-byte element lies in the low bits. `dtype` is a number of ONNX's TensorProto.DataType; strings and
// complex numbers give `other()`.
template <class Visit, class Other>
auto visit_element(std::int32_t dtype, const std::byte* source, const Visit& visit, const Other& other)
    -> decltype(visit(true)) {
  const auto bits = [&] { return std::to_integer<unsigned>(*source); };
  const auto integer = [&](auto number) { return visit(static_cast<std::int64_t>(number)); };
  switch (dtype) {
    case 1: return visit(static_cast<double>(load<float>(source)));
    case 2: return integer(load<std::uint8_t>(source));
    case 3: return integer(load<std::int8_t>(source));
    case 4: return integer(load<std::uint16_t>(source));
    case 5: return integer(load<std::int16_t>(source));
    case 6: return integer(load<std::int32_t>(source));
    case 7: return integer(load<std::int64_t>(source));
    case 9: return visit(*source != std::byte{0});
    case 10: return visit(decode(load<std::uint16_t>(source), kHalf));
    case 11: return visit(load<double>(source));
    case 12: return integer(load<std::uint32_t>(source));
    case 13: return integer(from_u64(load<std::uint64_t>(source)));
    case 16: return visit(decode(load<std::uint16_t>(source), kBrain));
    case 17: return visit(decode(bits(), kE4m3fn));
    case 18: return visit(decode(bits(), kE4m3fnuz));
    case 19: return visit(decode(bits(), kE5m2));
    case 20: return visit(decode(bits(), kE5m2fnuz));
    case 21: return integer(small_integer(bits(), 4, false));
    case 22: return integer(small_integer(bits(), 4, true));
    case 23: return visit(decode(bits() & 0xF, kE2m1));
    case 24: return visit(decode_exponent(bits()));
    case 25: return integer(small_integer(bits(), 2, false));
    case 26: return integer(small_integer(bits(), 2, true));
    default: return other();
  }
}

[[noreturn]] inline void raise_does_not_fit(std::int64_t value, const char* dtype) {
  raise_exception("OverflowError", std::to_string(value) + " does not fit into " + dtype);
}

template <class T>
void store_integer(std::int64_t value, const char* dtype, std::byte* target) {
  bool fits = false;
  if constexpr (std::is_same_v<T, std::uint64_t>)
    fits = value >= 0;
  else
    fits = value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
           value <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
  if (!fits) raise_does_not_fit(value, dtype);
  store(target, static_cast<T>(value));
}

inline void store_small_integer(std::int64_t value, const char* dtype, int width, bool is_signed,
                                std::byte* target) {
  const std::int64_t low = is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << width) - 1;
  if (value < low || value > high) raise_does_not_fit(value, dtype);
  *target = static_cast<std::byte>(value & ((std::int64_t{1} << width) - 1));
}

// Writes one element to `target` (at least a byte). An int that does not fit raises an OverflowError. A float
// is truncated for an integer dtype, and otherwise rounded once, to nearest even. Returns false if a number
// cannot become an element of this dtype.
template <class T>
bool write_number(T number, std::int32_t dtype, std::byte* target) {
  switch (dtype) {
    case 1: store(target, static_cast<float>(number)); return true;  // an int is rounded once, too
    case 2: store_integer<std::uint8_t>(to_int(number), "u8", target); return true;
    case 3: store_integer<std::int8_t>(to_int(number), "i8", target); return true;
    case 4: store_integer<std::uint16_t>(to_int(number), "u16", target); return true;
    case 5: store_integer<std::int16_t>(to_int(number), "i16", target); return true;
    case 6: store_integer<std::int32_t>(to_int(number), "i32", target); return true;
    case 7: store_integer<std::int64_t>(to_int(number), "i64", target); return true;
    case 9: *target = std::byte{to_bool(number)}; return true;
    case 10: store(target, static_cast<std::uint16_t>(encode(to_float(number), kHalf))); return true;
    case 11: store(target, to_float(number)); return true;
    case 12: store_integer<std::uint32_t>(to_int(number), "u32", target); return true;
    case 13: store_integer<std::uint64_t>(to_int(number), "u64", target); return true;
    case 16: store(target, static_cast<std::uint16_t>(encode(to_float(number), kBrain))); return true;
    case 21: store_small_integer(to_int(number), "u4", 4, false, target); return true;
    case 22: store_small_integer(to_int(number), "i4", 4, true, target); return true;
    case 25: store_small_integer(to_int(number), "u2", 2, false, target); return true;
    case 26: store_small_integer(to_int(number), "i2", 2, true, target); return true;
    default: return false;
  }
}

}  // namespace dycl::host_rules
