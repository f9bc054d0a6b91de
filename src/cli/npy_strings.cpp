// SPDX-License-Identifier: Apache-2.0
#include "cli/npy_strings.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cli/npy_header.h"

namespace dycl::cli {
namespace {

bool is_code_point(char32_t point) { return point < 0x110000 && (point < 0xD800 || point > 0xDFFF); }

void append_utf8(std::string& text, char32_t point) {
  const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3F))); };
  if (point < 0x80) {
    text.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    text.push_back(static_cast<char>(0xC0 | (point >> 6)));
    tail(0);
  } else if (point < 0x10000) {
    text.push_back(static_cast<char>(0xE0 | (point >> 12)));
    tail(6), tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0 | (point >> 18)));
    tail(12), tail(6), tail(0);
  }
}

// nullopt when the text is not well-formed UTF-8 (overlong forms and surrogates included).
std::optional<std::u32string> from_utf8(std::string_view text) {
  std::u32string points;
  for (std::size_t index = 0; index < text.size();) {
    const auto lead = static_cast<unsigned char>(text[index]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || text.size() - index < length) return std::nullopt;
    char32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t next = 1; next < length; ++next) {
      const auto byte = static_cast<unsigned char>(text[index + next]);
      if ((byte & 0xC0) != 0x80) return std::nullopt;
      point = (point << 6) | (byte & 0x3Fu);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!is_code_point(point) || point < kSmallest[length]) return std::nullopt;
    points.push_back(point);
    index += length;
  }
  return points;
}

std::optional<std::string> decode_wide(std::span<const std::byte> cell) {
  std::u32string points(cell.size() / 4, U'\0');
  if (!cell.empty()) std::memcpy(points.data(), cell.data(), points.size() * 4);
  points.erase(points.find_last_not_of(U'\0') + 1);
  std::string text;
  for (const char32_t point : points) {
    if (!is_code_point(point)) return std::nullopt;
    append_utf8(text, point);
  }
  return text;
}

std::string decode_narrow(std::span<const std::byte> cell) {
  std::string text(reinterpret_cast<const char*>(cell.data()), cell.size());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

// One fixed-width cell per text, as wide as the longest.
template <class Text>
std::string cells_of(std::string_view kind, const TensorData& tensor, const std::vector<Text>& texts) {
  std::size_t longest = 1;  // numpy has no cells of width 0
  for (const Text& text : texts) longest = std::max(longest, text.size());
  std::string file = write_npy_header(std::string(kind) + std::to_string(longest), tensor.dims);
  const std::size_t unit = sizeof(typename Text::value_type);
  for (const Text& text : texts) {
    file.append(reinterpret_cast<const char*>(text.data()), text.size() * unit);
    file.append((longest - text.size()) * unit, '\0');
  }
  return file;
}

}  // namespace

Result<TensorData> strings_from_npy(std::vector<std::int64_t> dims, std::span<const std::byte> data,
                                    std::size_t cell, bool wide) {
  const auto count = static_cast<std::size_t>(element_count(dims).value_or(0));
  std::vector<std::string> strings;
  strings.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    const auto bytes = data.subspan(index * cell, cell);
    std::optional<std::string> text = wide ? decode_wide(bytes) : decode_narrow(bytes);
    if (!text) return fail(Blame::Usage, "npy.damaged", "not a valid .npy array: a string is not Unicode");
    strings.push_back(std::move(*text));
  }
  return make_string_tensor(std::move(dims), strings);
}

Result<std::string> strings_to_npy(const TensorData& tensor) {
  auto strings = strings_of(tensor);
  if (!strings) return failure_of(std::move(strings));
  std::vector<std::u32string> wide;
  for (const std::string& text : *strings) {
    if (text.ends_with('\0'))
      return fail(Blame::Usage, "npy.unsupported",
                  "a string that ends in NUL cannot be stored in an .npy array");
    if (auto points = from_utf8(text)) wide.push_back(std::move(*points));
  }
  if (wide.size() == strings->size()) return cells_of("<U", tensor, wide);
  return cells_of("|S", tensor, *strings);
}

}  // namespace dycl::cli
