// SPDX-License-Identifier: Apache-2.0
#include "cli/element_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace dycl::cli {
namespace {

// G++ 12 knows the same 16 bits by another name on ARM.
#ifdef __aarch64__
using Half = __fp16;
#else
using Half = _Float16;
#endif

Failure malformed(DType dtype, std::string_view text, std::string_view why) {
  return fail(Blame::Usage, "argument.bad_value",
              fmt::format("'{}' is not a value of {}: {}", text, name_of(dtype), why));
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  return {raw.begin(), raw.end()};
}

template <class T>
Result<std::vector<std::byte>> parse_integer(DType dtype, std::string_view text, T least, T most) {
  T value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && (value < least || value > most)))
    return malformed(dtype, text, "out of range");
  if (error != std::errc{} || end != digits.data() + digits.size())
    return malformed(dtype, text, "not an integer");
  return bytes_of(value);
}

template <class T>
Result<std::vector<std::byte>> parse_whole(DType dtype, std::string_view text) {
  return parse_integer<T>(dtype, text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

Result<double> parse_real(DType dtype, std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return malformed(dtype, text, "out of range");
  if (error != std::errc{} || end != digits.data() + digits.size())
    return malformed(dtype, text, "not a number");
  return value;
}

// Round to nearest even; a NaN keeps being one.
std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

template <class T>
Result<std::vector<std::byte>> parse_float(DType dtype, std::string_view text) {
  auto real = parse_real(dtype, text);
  if (!real) return failure_of(std::move(real));
  const auto value = static_cast<T>(*real);
  if (std::isinf(static_cast<double>(value)) && !std::isinf(*real))
    return malformed(dtype, text, "out of range");
  if constexpr (sizeof(T) == sizeof(float)) {
    if (dtype == DType::BF16) return bytes_of(to_bfloat16(value));
  }
  return bytes_of(value);
}

Result<std::vector<std::byte>> parse_bool(std::string_view text) {
  if (text == "1" || text == "true" || text == "True") return std::vector{std::byte{1}};
  if (text == "0" || text == "false" || text == "False") return std::vector{std::byte{0}};
  return malformed(DType::Bool, text, "write true or false");
}

template <class T>
T load(const TensorData& tensor, std::int64_t index) {
  T value{};
  std::memcpy(&value, tensor.bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::string complex_text(const TensorData& tensor, std::int64_t index) {
  const T real = load<T>(tensor, 2 * index);
  const T imaginary = load<T>(tensor, 2 * index + 1);
  return fmt::format("{:g}{:+g}j", real, imaginary);
}

unsigned packed_bits(const TensorData& tensor, std::int64_t index) {
  const auto bits = static_cast<std::int64_t>(bit_width(tensor.dtype));
  const std::int64_t per_byte = 8 / bits;
  const auto byte = std::to_integer<unsigned>(tensor.bytes[static_cast<std::size_t>(index / per_byte)]);
  return (byte >> (bits * (index % per_byte))) & ((1u << bits) - 1);
}

std::string packed_integer_text(const TensorData& tensor, std::int64_t index) {
  const auto bits = static_cast<int>(packed_bits(tensor, index));
  const int half = 1 << (bit_width(tensor.dtype) - 1);
  const bool is_signed = tensor.dtype == DType::I4 || tensor.dtype == DType::I2;
  return std::to_string(is_signed && bits >= half ? bits - 2 * half : bits);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Nested brackets over a row-major list of texts; axes longer than 2*edge are abbreviated.
class ArrayPrinter {
 public:
  ArrayPrinter(const TensorData& tensor, std::int64_t edge, std::span<const std::string> strings)
      : tensor_(tensor), edge_(edge), strings_(strings) {}

  std::string print(std::size_t axis, std::int64_t offset) const {
    if (axis == tensor_.dims.size()) return element(offset);
    const std::int64_t size = tensor_.dims[axis];
    std::int64_t stride = 1;
    for (std::size_t inner = axis + 1; inner < tensor_.dims.size(); ++inner) stride *= tensor_.dims[inner];
    std::vector<std::string> parts;
    for (std::int64_t index = 0; index < size; ++index) {
      if (size > 2 * edge_ && index == edge_) {
        parts.emplace_back("...");
        index = size - edge_;
      }
      parts.push_back(print(axis + 1, offset + index * stride));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

 private:
  [[nodiscard]] std::string element(std::int64_t offset) const {
    if (tensor_.dtype != DType::String) return element_text(tensor_, offset);
    return fmt::format("\"{}\"", strings_[static_cast<std::size_t>(offset)]);
  }

  const TensorData& tensor_;
  std::int64_t edge_;
  std::span<const std::string> strings_;
};

}  // namespace

Result<std::vector<std::byte>> parse_element(DType dtype, std::string_view text) {
  switch (dtype) {
    case DType::Bool: return parse_bool(text);
    case DType::I8: return parse_whole<std::int8_t>(dtype, text);
    case DType::U8: return parse_whole<std::uint8_t>(dtype, text);
    case DType::I16: return parse_whole<std::int16_t>(dtype, text);
    case DType::U16: return parse_whole<std::uint16_t>(dtype, text);
    case DType::I32: return parse_whole<std::int32_t>(dtype, text);
    case DType::U32: return parse_whole<std::uint32_t>(dtype, text);
    case DType::I64: return parse_whole<std::int64_t>(dtype, text);
    case DType::U64: return parse_whole<std::uint64_t>(dtype, text);
    case DType::I4: return parse_integer<std::int8_t>(dtype, text, -8, 7);
    case DType::U4: return parse_integer<std::uint8_t>(dtype, text, 0, 15);
    case DType::I2: return parse_integer<std::int8_t>(dtype, text, -2, 1);
    case DType::U2: return parse_integer<std::uint8_t>(dtype, text, 0, 3);
    case DType::F16: return parse_float<Half>(dtype, text);
    case DType::BF16:
    case DType::F32: return parse_float<float>(dtype, text);
    case DType::F64: return parse_float<double>(dtype, text);
    default: return malformed(dtype, text, "this type has no text form, give an .npy file");
  }
}

std::string element_text(const TensorData& tensor, std::int64_t index) {
  switch (tensor.dtype) {
    case DType::Bool: return load<std::uint8_t>(tensor, index) != 0 ? "true" : "false";
    case DType::I8: return std::to_string(load<std::int8_t>(tensor, index));
    case DType::U8: return std::to_string(load<std::uint8_t>(tensor, index));
    case DType::I16: return std::to_string(load<std::int16_t>(tensor, index));
    case DType::U16: return std::to_string(load<std::uint16_t>(tensor, index));
    case DType::I32: return std::to_string(load<std::int32_t>(tensor, index));
    case DType::U32: return std::to_string(load<std::uint32_t>(tensor, index));
    case DType::I64: return std::to_string(load<std::int64_t>(tensor, index));
    case DType::U64: return std::to_string(load<std::uint64_t>(tensor, index));
    case DType::I4:
    case DType::U4:
    case DType::I2:
    case DType::U2: return packed_integer_text(tensor, index);
    case DType::F16: return fmt::format("{:g}", static_cast<float>(load<Half>(tensor, index)));
    case DType::BF16: return fmt::format("{:g}", from_bfloat16(load<std::uint16_t>(tensor, index)));
    case DType::F32: return fmt::format("{}", load<float>(tensor, index));
    case DType::F64: return fmt::format("{}", load<double>(tensor, index));
    case DType::C64: return complex_text<float>(tensor, index);
    case DType::C128: return complex_text<double>(tensor, index);
    case DType::F4E2M1: return fmt::format("{:#x}", packed_bits(tensor, index));
    case DType::F8E4M3FN:
    case DType::F8E4M3FNUZ:
    case DType::F8E5M2:
    case DType::F8E5M2FNUZ:
    case DType::F8E8M0: return fmt::format("{:#04x}", load<std::uint8_t>(tensor, index));
    case DType::String: break;  // an ArrayPrinter has them decoded
  }
  internal_error("a string was asked for its bytes");
}

std::string tensor_text(const TensorData& tensor, std::int64_t edge_items) {
  const std::string head = fmt::format("{}[{}]", name_of(tensor.dtype), fmt::join(tensor.dims, ","));
  std::vector<std::string> strings;
  if (tensor.dtype == DType::String) {
    auto known = strings_of(tensor);
    if (!known) return head + " = (damaged)";
    strings = std::move(*known);
  }
  return fmt::format("{} = {}", head, ArrayPrinter(tensor, edge_items, strings).print(0, 0));
}

}  // namespace dycl::cli
