// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_argument.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/packed_elements.h"
#include "cli/element_text.h"
#include "cli/npy.h"

namespace dycl::cli {
namespace {

constexpr std::string_view kArgumentForms =
    "write name=SHAPExDTYPE[=VALUES] (x=1x3x32x32xf32, n=i64=5, v=3xf32=1,2,3), name=@file.npy, "
    "name=[@a.npy,@b.npy] or name=none";
constexpr std::size_t kMaxInlineBytes = std::size_t{1} << 34;
constexpr int kMaxNesting = 8;

Failure malformed(std::string message) {
  return fail(Blame::Usage, "argument.malformed", std::move(message), {}, std::string(kArgumentForms));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    depth += text[index] == '[' ? 1 : text[index] == ']' ? -1 : 0;
    if (depth != 0 || text[index] != separator) continue;
    parts.push_back(text.substr(begin, index - begin));
    begin = index + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Result<TensorData> string_tensor(const TensorSpec& spec, const std::vector<std::string_view>& values,
                                 std::size_t count) {
  std::vector<std::string> strings;
  for (std::size_t index = 0; index < count; ++index)
    strings.emplace_back(values.empty() ? std::string_view() : values[values.size() == 1 ? 0 : index]);
  return make_string_tensor(spec.dims, strings);
}

Result<TensorData> number_tensor(const TensorSpec& spec, const std::vector<std::string_view>& values,
                                 std::size_t count, std::size_t byte_count) {
  if (values.empty()) return make_tensor(spec.dtype, spec.dims, std::vector<std::byte>(byte_count));
  std::vector<std::byte> bytes;
  for (const std::string_view value : values) {
    auto element = parse_element(spec.dtype, trim(value));
    if (!element) return failure_of(std::move(element));
    bytes.insert(bytes.end(), element->begin(), element->end());
  }
  if (values.size() == 1) {
    const std::vector<std::byte> element = bytes;
    bytes.clear();
    for (std::size_t index = 0; index < count; ++index)
      bytes.insert(bytes.end(), element.begin(), element.end());
  }
  if (bit_width(spec.dtype) < 8) bytes = pack_elements(bytes, bit_width(spec.dtype));
  return make_tensor(spec.dtype, spec.dims, std::move(bytes));
}

Result<TensorData> inline_tensor(std::string_view text) {
  const std::size_t equals = text.find('=');
  auto spec = parse_tensor_spec(text.substr(0, equals));
  if (!spec) return failure_of(std::move(spec));
  const auto count = element_count(spec->dims);
  // An empty string costs its 8-byte offset.
  const auto bytes = byte_size(spec->dtype == DType::String ? DType::I64 : spec->dtype, count.value_or(-1));
  if (!count || !bytes || *bytes > kMaxInlineBytes)
    return malformed(fmt::format("'{}' is too large a tensor", text.substr(0, equals)));
  std::vector<std::string_view> values;
  if (equals != std::string_view::npos) values = split(text.substr(equals + 1), ',');
  if (equals != std::string_view::npos && *count == 0 && values.size() == 1 && values[0].empty())
    values.clear();
  const auto elements = static_cast<std::size_t>(*count);
  if (values.size() > 1 && values.size() != elements)
    return malformed(fmt::format("{} values were given for {} elements of '{}'", values.size(), elements,
                                 text.substr(0, equals)));
  if (spec->dtype == DType::String) return string_tensor(*spec, values, elements);
  return number_tensor(*spec, values, elements, *bytes);
}

Result<ArgumentValue> parse_value(std::string_view text, std::optional<DType> raw_as, int nesting) {
  text = trim(text);
  if (text == "none") return ArgumentValue(ArgumentNone{});
  if (text.starts_with('@')) {
    auto tensor = read_npy_file(std::filesystem::path(text.substr(1)), raw_as);
    if (!tensor) return failure_of(std::move(tensor));
    return ArgumentValue(std::move(*tensor));
  }
  if (!text.starts_with('[')) {
    auto tensor = inline_tensor(text);
    if (!tensor) return failure_of(std::move(tensor));
    return ArgumentValue(std::move(*tensor));
  }
  if (!text.ends_with(']')) return malformed(fmt::format("the list '{}' is not closed", text));
  if (nesting == kMaxNesting) return malformed("lists are nested too deeply");
  const std::string_view inside = trim(text.substr(1, text.size() - 2));
  ArgumentList list;
  if (inside.empty()) return ArgumentValue(std::move(list));
  const bool several = split(inside, ';').size() > 1;
  for (const std::string_view part : split(inside, several ? ';' : ',')) {
    auto element = parse_value(part, raw_as, nesting + 1);
    if (!element) return element;
    list.push_back(std::move(*element));
  }
  return ArgumentValue(std::move(list));
}

}  // namespace

Result<std::pair<std::string, std::string>> split_argument(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return malformed(fmt::format("'{}' does not begin with an input's name and '='", text));
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<TensorArgument> parse_tensor_argument(std::string_view text, const DTypeOfInput& dtype_of) {
  auto parts = split_argument(text);
  if (!parts) return failure_of(std::move(parts));
  const auto raw_as = dtype_of ? dtype_of(parts->first) : std::nullopt;
  auto value = parse_value(parts->second, raw_as, 0);
  if (!value) {
    value.error().message = fmt::format("input '{}': {}", parts->first, value.error().message);
    return failure_of(std::move(value));
  }
  return TensorArgument{std::move(parts->first), std::move(*value)};
}

}  // namespace dycl::cli
