// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_read_attributes.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace dycl {
namespace {

// nan(0x7fc00001): a NaN by its bits.
template <class Float, class Bits>
std::optional<Float> nan_by_bits(std::string_view text) {
  constexpr std::string_view kOpen = "nan(0x";
  if (!text.starts_with(kOpen) || !text.ends_with(')')) return std::nullopt;
  text = text.substr(kOpen.size(), text.size() - kOpen.size() - 1);
  Bits bits = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto number = std::bit_cast<Float>(bits);
  return std::isnan(number) ? std::optional(number) : std::nullopt;
}

template <class Float, class Bits>
Result<Float> read_float(TextCursor& cursor) {
  const std::size_t begin = cursor.position();
  auto text = cursor.number_text();
  if (!text) return failure_of(std::move(text));
  if (*text == "nan") return std::numeric_limits<Float>::quiet_NaN();
  if (const auto number = nan_by_bits<Float, Bits>(*text)) return *number;
  Float number = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (problem != std::errc() || end != text->data() + text->size() || std::isnan(number))
    return cursor.error_at(begin, fmt::format("'{}' is not a number of this kind", *text));
  return number;
}

Result<float> read_f32(TextCursor& cursor) { return read_float<float, std::uint32_t>(cursor); }

// An int has digits only; 1.0, 1e+20, inf and nan are floats.
bool sees_integer(TextCursor cursor) {
  const auto text = cursor.number_text();
  return text && text->find_first_not_of("-0123456789") == std::string_view::npos;
}

template <class T>
Result<Attribute> as_attribute(Result<T>&& value) {
  if (!value) return failure_of(std::move(value));
  return Attribute(*std::move(value));
}

template <class T, class Read>
Result<Attribute> read_list(TextCursor& cursor, const Read& read) {
  std::vector<T> items;
  do {
    Result<T> item = read();
    if (!item) return failure_of(std::move(item));
    items.push_back(*std::move(item));
  } while (cursor.take(","));
  if (auto status = cursor.expect("]"); !status) return failure_of(std::move(status));
  return Attribute(std::move(items));
}

Result<Attribute> read_any_list(TextCursor& cursor) {
  if (cursor.sees("\"")) return read_list<std::string>(cursor, [&] { return cursor.quoted_text(); });
  if (sees_integer(cursor)) return read_list<std::int64_t>(cursor, [&] { return cursor.integer(); });
  return read_list<float>(cursor, [&] { return read_f32(cursor); });
}

Result<Attribute> read_attribute(TextCursor& cursor, const ConstantSource& constant_of) {
  if (cursor.sees("\"")) return as_attribute(cursor.quoted_text());
  if (cursor.take("[")) return read_any_list(cursor);
  if (cursor.take("i64[]")) return Attribute(std::vector<std::int64_t>{});
  if (cursor.take("f32[]")) return Attribute(std::vector<float>{});
  if (cursor.take("str[]")) return Attribute(std::vector<std::string>{});
  if (cursor.take_keyword("tensor")) return as_attribute(read_typed_tensor(cursor, constant_of));
  if (cursor.take_keyword("f64")) return as_attribute(read_float<double, std::uint64_t>(cursor));
  if (sees_integer(cursor)) return as_attribute(cursor.integer());
  return as_attribute(read_f32(cursor));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const int high = hex_digit(text[at]);
    const int low = hex_digit(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

std::optional<std::vector<std::int64_t>> static_dims(const Type& type) {
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr || !tensor->is_static()) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const Dim& dim : *tensor->dims) dims.push_back(dim.constant);
  return dims;
}

bool size_fits(const TensorData& tensor) {
  const auto count = element_count(tensor.dims);
  if (!count) return false;
  if (tensor.dtype != DType::String) return byte_size(tensor.dtype, *count) == tensor.bytes.size();
  // The offsets alone need 8 bytes an element: a wild count is refused before anyone walks them.
  return static_cast<std::uint64_t>(*count) < tensor.bytes.size() / 8 && strings_of(tensor).has_value();
}

Result<TensorData> read_bytes(TextCursor& cursor, const ConstantSource& constant_of) {
  const std::size_t begin = cursor.position();
  const bool by_key = cursor.take_keyword("key");
  if (!by_key && !cursor.take_keyword("hex")) return cursor.unexpected("'hex' or 'key'");
  auto text = cursor.quoted_text();
  if (!text) return failure_of(std::move(text));
  if (!by_key) {
    auto bytes = bytes_of_hex(*text);
    if (!bytes) return cursor.error_at(begin, "hex contents need pairs of the digits 0-9 and a-f");
    return make_tensor(DType::U8, {}, *std::move(bytes));
  }
  const TensorPtr found = constant_of ? constant_of(*text) : nullptr;
  if (found == nullptr)
    return cursor.error_at(begin,
                           fmt::format("the contents of the constant with key '{}' are not at hand", *text));
  return *found;
}

}  // namespace

Result<TensorPtr> read_contents(TextCursor& cursor, const Type& type, const ConstantSource& constant_of) {
  const std::size_t begin = cursor.position();
  auto dims = static_dims(type);
  if (!dims) return cursor.error("contents need a tensor type whose sizes are numbers");
  auto tensor = read_bytes(cursor, constant_of);
  if (!tensor) return failure_of(std::move(tensor));
  tensor->dtype = type.tensor()->dtype;
  tensor->dims = *std::move(dims);
  if (!size_fits(*tensor))
    return cursor.error_at(begin,
                           fmt::format("{} bytes do not fill a tensor of this type", tensor->bytes.size()));
  return std::make_shared<const TensorData>(*std::move(tensor));
}

Result<TensorPtr> read_typed_tensor(TextCursor& cursor, const ConstantSource& constant_of) {
  const std::size_t begin = cursor.position();
  bool symbolic = false;
  auto type = cursor.type([&](std::string_view) {
    symbolic = true;
    return SymbolId(0);
  });
  if (!type) return failure_of(std::move(type));
  if (symbolic) return cursor.error_at(begin, "a tensor's sizes must be numbers");
  return read_contents(cursor, *type, constant_of);
}

Result<Attributes> read_attributes(TextCursor& cursor, const ConstantSource& constant_of) {
  Attributes attributes;
  if (!cursor.take("{")) return attributes;
  do {
    const std::size_t begin = cursor.position();
    auto name = cursor.word_or_quoted("an attribute's name");
    if (!name) return failure_of(std::move(name));
    if (auto status = cursor.expect("="); !status) return failure_of(std::move(status));
    auto attribute = read_attribute(cursor, constant_of);
    if (!attribute) return failure_of(std::move(attribute));
    if (!attributes.emplace(*name, *std::move(attribute)).second)
      return cursor.error_at(begin, fmt::format("the attribute '{}' is given twice", *name));
  } while (cursor.take(","));
  if (auto status = cursor.expect("}"); !status) return failure_of(std::move(status));
  return attributes;
}

}  // namespace dycl
