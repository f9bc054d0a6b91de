// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_attributes.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/overloaded.h"
#include "base/type.h"
#include "hcfg/text.h"
#include "hcfg/text_names.h"

namespace dycl {
namespace {

// Shortest digits that read back as the same bits; a point or an exponent tells it from an int.
template <class Float, class Bits>
std::string float_text(Float number) {
  if (std::isnan(number)) {
    const auto bits = std::bit_cast<Bits>(number);
    const bool common = bits == std::bit_cast<Bits>(std::numeric_limits<Float>::quiet_NaN());
    return common ? "nan" : fmt::format("nan(0x{:x})", bits);
  }
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string f32_text(float number) { return float_text<float, std::uint32_t>(number); }
std::string f64_text(double number) { return "f64 " + float_text<double, std::uint64_t>(number); }

template <class T, class Text>
std::string list_text(const std::vector<T>& items, std::string_view empty, const Text& text_of) {
  if (items.empty()) return std::string(empty);
  std::string text = "[";
  for (const T& item : items) text += (text.size() == 1 ? "" : ",") + text_of(item);
  return text + "]";
}

std::string attribute_text(const Attribute& attribute, std::size_t inline_bytes) {
  return std::visit(
      Overloaded{
          [](std::int64_t integer) { return std::to_string(integer); },
          [](float number) { return f32_text(number); },
          [](double number) { return f64_text(number); },
          [](const std::string& text) { return quoted(text); },
          [](const std::vector<std::int64_t>& items) {
            return list_text(items, "i64[]", [](std::int64_t item) { return std::to_string(item); });
          },
          [](const std::vector<float>& items) { return list_text(items, "f32[]", f32_text); },
          [](const std::vector<std::string>& items) { return list_text(items, "str[]", quoted); },
          [&](const TensorPtr& tensor) { return tensor_text(tensor, inline_bytes); },
      },
      attribute);
}

std::string hex_text(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace

std::string tensor_text(const TensorPtr& tensor, std::size_t inline_bytes) {
  if (tensor == nullptr) return "tensor missing";
  const std::vector<Dim> dims(tensor->dims.begin(), tensor->dims.end());
  const Type type = TensorType{tensor->dtype, dims, {}};
  return fmt::format("tensor {} {}", to_string(type, [](SymbolId) { return std::string(); }),
                     contents_text(*tensor, inline_bytes));
}

std::string attributes_text(const Attributes& attributes, std::size_t inline_bytes) {
  if (attributes.empty()) return {};
  std::string text;
  for (const auto& [name, attribute] : attributes)
    text += fmt::format("{}{}={}", text.empty() ? " {" : ", ", identifier_or_quoted(name),
                        attribute_text(attribute, inline_bytes));
  return text + "}";
}

std::string contents_text(const TensorData& tensor, std::size_t inline_bytes) {
  if (tensor.bytes.size() <= inline_bytes) return fmt::format("hex \"{}\"", hex_text(tensor.bytes));
  return fmt::format("key \"{}\"", constant_key(tensor));
}

}  // namespace dycl
