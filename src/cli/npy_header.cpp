// SPDX-License-Identifier: Apache-2.0
#include "cli/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <utility>

namespace dycl::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1 << 16;  // numpy itself refuses longer ones by default
constexpr std::size_t kMaxRank = 64;

Failure damaged(std::string_view what) {
  return fail(Blame::Usage, "npy.damaged", fmt::format("not a valid .npy array: {}", what));
}

// Reads the dict literal from left to right; each take_* consumes what it recognises.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : text_(text) {}

  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }

  bool take(std::string_view word) {
    skip_spaces();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> take_string() {
    skip_spaces();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string found(text_.substr(1, end - 1));
    if (found.find('\\') != std::string::npos) return std::nullopt;
    text_.remove_prefix(end + 1);
    return found;
  }

  std::optional<std::int64_t> take_size() {
    skip_spaces();
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
    if (error != std::errc{} || size < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return size;
  }

  // "()", "(3,)", "(3, 4)", "(3, 4,)"
  std::optional<std::vector<std::int64_t>> take_shape() {
    if (!take("(")) return std::nullopt;
    std::vector<std::int64_t> shape;
    bool comma = false;
    while (!take(")")) {
      const auto size = take_size();
      if ((!shape.empty() && !comma) || !size || shape.size() == kMaxRank) return std::nullopt;
      shape.push_back(*size);
      comma = take(",");
    }
    if (shape.size() == 1 && !comma) return std::nullopt;  // "(3)" is an int, not a tuple
    return shape;
  }

  [[nodiscard]] bool at_end() {
    skip_spaces();
    return text_.empty();
  }

 private:
  std::string_view text_;
};

Status take_entry(DictReader& reader, const std::string& key, NpyHeader& header, unsigned& seen) {
  const auto once = [&seen](unsigned bit) { return (std::exchange(seen, seen | bit) & bit) == 0; };
  if (key == "descr" && once(1)) {
    auto descr = reader.take_string();
    if (!descr) return damaged("its element type is structured or not a string, which is not supported");
    header.descr = std::move(*descr);
  } else if (key == "fortran_order" && once(2)) {
    header.fortran_order = reader.take("True");
    if (!header.fortran_order && !reader.take("False")) return damaged("fortran_order is not a bool");
  } else if (key == "shape" && once(4)) {
    auto shape = reader.take_shape();
    if (!shape) return damaged("its shape is not a tuple of sizes");
    header.shape = std::move(*shape);
  } else {
    return damaged(fmt::format("its header has an unexpected or repeated key '{}'", key));
  }
  return {};
}

Result<NpyHeader> parse_dict(std::string_view text) {
  DictReader reader(text);
  NpyHeader header;
  unsigned seen = 0;
  if (!reader.take("{")) return damaged("its header is not a dict");
  for (bool closed = reader.take("}"); !closed;) {
    const auto key = reader.take_string();
    if (!key || !reader.take(":")) return damaged("its header is not a dict");
    if (Status entry = take_entry(reader, *key, header, seen); !entry) return failure_of(std::move(entry));
    const bool comma = reader.take(",");
    closed = reader.take("}");
    if (!comma && !closed) return damaged("its header is not a dict");
  }
  if (seen != 7) return damaged("its header lacks descr, fortran_order or shape");
  if (!reader.at_end()) return damaged("something follows the dict in its header");
  return header;
}

}  // namespace

Result<NpyHeader> read_npy_header(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10) return damaged("the magic bytes are missing");
  const auto byte_at = [&](std::size_t index) { return std::to_integer<std::size_t>(bytes[index]); };
  const std::size_t major = byte_at(6);
  if (major < 1 || major > 3 || byte_at(7) != 0)
    return damaged(fmt::format("format version {}.{} is not known", major, byte_at(7)));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  if (text.size() < begin) return damaged("it is cut short");
  std::size_t length = 0;
  for (std::size_t index = 0; index < length_bytes; ++index) length |= byte_at(8 + index) << (8 * index);
  if (length > kMaxHeader) return damaged("its header is too long");
  if (text.size() - begin < length) return damaged("it is cut short");
  auto header = parse_dict(text.substr(begin, length));
  if (header) header->data_offset = begin + length;
  return header;
}

std::string write_npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  const std::string sizes = fmt::format("{}{}", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, sizes);
  const std::size_t unpadded = 10 + dict.size() + 1;
  dict.append((64 - unpadded % 64) % 64, ' ');
  dict.push_back('\n');
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace dycl::cli
