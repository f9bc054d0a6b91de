// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/type_text.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/json_reader.h"
#include "package/limits.h"
#include "package/safetensors.h"
#include "package/safetensors_dtype.h"
#include "package/safetensors_names.h"

namespace dycl {
namespace {

constexpr std::string_view kWeightsFile = "weights.safetensors";
constexpr std::size_t kLengthField = 8;

Failure bad_weights(std::string message) {
  return package_error("bad_weights", fmt::format("{}: {}", kWeightsFile, message));
}

struct Range {
  std::string name;
  DType dtype = DType::U8;
  std::vector<std::int64_t> dims;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Header {
  std::vector<Range> ranges;
  std::map<std::string, std::string> types;  // real types of tensors stored as U8
};

Range read_range(const JsonCursor& member, Complaint& complaint) {
  complaint.about(fmt::format("tensor '{}'", shown(member.key())));
  member.only_fields({"dtype", "shape", "data_offsets"});
  Range range;
  range.name = member.key();
  const std::string dtype = member.field("dtype").text();
  if (const auto known = dtype_from_safetensors(dtype))
    range.dtype = *known;
  else
    complaint.say(fmt::format("the element type '{}' is not known", shown(dtype)));
  member.field("shape").each([&](const JsonCursor& size) { range.dims.push_back(size.integer(0)); });
  const JsonCursor offsets = member.field("data_offsets");
  std::vector<std::int64_t> numbers;
  offsets.each([&](const JsonCursor& offset) { numbers.push_back(offset.integer(0)); });
  if (numbers.size() != 2 || numbers[0] > numbers[1]) {
    offsets.say("must be two offsets in order");
    return range;
  }
  range.begin = static_cast<std::uint64_t>(numbers[0]);
  range.end = static_cast<std::uint64_t>(numbers[1]);
  return range;
}

Result<Header> read_header(std::string_view text) {
  auto document = parse_json(text, kWeightsFile, limits::kWeightsHeaderBytes);
  if (!document) return failure_of(std::move(document));
  Complaint complaint(kWeightsFile);
  Header header;
  JsonCursor(*document, "header", complaint).each_member([&](const JsonCursor& member) {
    if (member.key() == kMetadataKey)
      member.each_member(
          [&](const JsonCursor& type) { header.types[std::string(type.key())] = type.text(); });
    else
      header.ranges.push_back(read_range(member, complaint));
  });
  if (auto status = complaint.status("package.bad_weights"); !status) return failure_of(std::move(status));
  std::ranges::sort(header.ranges, {}, [](const Range& range) { return std::pair(range.begin, range.end); });
  return header;
}

// The format allows neither holes nor overlaps nor bytes behind the last tensor.
Status check_tiling(const Header& header, std::uint64_t size) {
  std::uint64_t expected = 0;
  for (const Range& range : header.ranges)
    if (range.end > size)
      return bad_weights(fmt::format("tensor '{}' lies outside the file", shown(range.name)));
  for (const Range& range : header.ranges) {
    if (range.begin < expected)
      return bad_weights(fmt::format("tensor '{}' overlaps another one", shown(range.name)));
    if (range.begin > expected)
      return bad_weights(fmt::format("there is a hole before tensor '{}'", shown(range.name)));
    expected = range.end;
  }
  if (expected != size) return bad_weights("there are unclaimed bytes behind the last tensor");
  return {};
}

Status check_padding(const Range& range, std::span<const std::byte> bytes) {
  if (range.dtype == DType::U8 && bytes.size() < 64 && range.dims.size() == 1 &&
      std::cmp_equal(range.dims[0], bytes.size()) &&
      std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; }))
    return {};
  return bad_weights(fmt::format("'{}' is not padding", shown(range.name)));
}

// Replaces the U8 view by the type that the metadata names.
Status restore_type(TensorData& tensor, const std::string& text) {
  const auto type = parse_type(text, [](std::string_view) { return SymbolId(); });
  const TensorType* real = type ? type->tensor() : nullptr;
  if (real == nullptr || !real->is_static() || safetensors_name(real->dtype) || tensor.dtype != DType::U8)
    return bad_weights(fmt::format("'{}' is not a type that would be stored as U8", shown(text)));
  tensor.dtype = real->dtype;
  tensor.dims.clear();
  for (const Dim& dim : *real->dims) tensor.dims.push_back(dim.constant);
  return {};
}

Result<TensorPtr> make_weight(const Range& range, const Header& header, std::span<const std::byte> bytes,
                              const std::shared_ptr<const void>& owner) {
  const std::string name = shown(range.name);
  if (is_reserved_weight_name(range.name))
    return bad_weights(fmt::format("a weight cannot be named '{}'", name));
  if (range.begin % 64 != 0)
    return bad_weights(fmt::format("tensor '{}' does not start at a multiple of 64", name));
  auto tensor = std::make_shared<TensorData>(TensorData{range.dtype, range.dims, bytes, owner});
  if (const auto found = header.types.find(range.name); found != header.types.end())
    if (auto status = restore_type(*tensor, found->second); !status) return failure_of(std::move(status));
  if (auto status = check_tensor(*tensor); !status)
    return bad_weights(fmt::format("tensor '{}': {}", name, status.error().message));
  return TensorPtr(std::move(tensor));
}

Status check_strings(const TensorData& tensor, std::int64_t count) {
  // Before strings_of multiplies: the offsets must fit into what is there.
  if (static_cast<std::uint64_t>(count) >= tensor.bytes.size() / sizeof(std::int64_t))
    return package_error("bad_tensor", "its strings need more bytes than it has");
  if (!strings_of(tensor)) return package_error("bad_tensor", "its strings leave its buffer");
  return {};
}

}  // namespace

Status check_tensor(const TensorData& tensor) {
  if (tensor.dims.size() > limits::kRank)
    return package_error("bad_tensor", fmt::format("it has {} dims, at most {} are possible",
                                                   tensor.dims.size(), limits::kRank));
  const auto count = element_count(tensor.dims);
  if (!count) return package_error("bad_tensor", "its dims are negative or too large");
  if (tensor.dtype == DType::String) return check_strings(tensor, *count);
  const auto size = byte_size(tensor.dtype, *count);
  if (!size || *size != tensor.bytes.size())
    return package_error("bad_tensor", fmt::format("it has {} bytes, which do not fit its type and dims",
                                                   tensor.bytes.size()));
  if (tensor.dtype == DType::Bool &&
      std::ranges::any_of(tensor.bytes, [](std::byte byte) { return byte > std::byte{1}; }))
    return package_error("bad_tensor", "it holds truth values other than 0 and 1");
  return {};
}

Result<std::map<std::string, TensorPtr>> read_safetensors(std::span<const std::byte> file,
                                                          const std::shared_ptr<const void>& owner) {
  std::uint64_t length = 0;
  if (file.size() < kLengthField) return bad_weights("the file ends inside its header");
  std::memcpy(&length, file.data(), kLengthField);
  if (length > file.size() - kLengthField) return bad_weights("its header is longer than the file");
  auto header = read_header(text_of(file.subspan(kLengthField, length)));
  if (!header) return failure_of(std::move(header));
  const auto data = file.subspan(kLengthField + length);
  if (!header->ranges.empty() && (kLengthField + length) % 64 != 0)
    return bad_weights("its data does not start at a multiple of 64");
  if (auto status = check_tiling(*header, data.size()); !status) return failure_of(std::move(status));

  std::map<std::string, TensorPtr> weights;
  for (const Range& range : header->ranges) {
    const auto bytes = data.subspan(range.begin, range.end - range.begin);
    if (range.name.starts_with(kPaddingPrefix)) {
      if (auto status = check_padding(range, bytes); !status) return failure_of(std::move(status));
      continue;
    }
    auto weight = make_weight(range, *header, bytes, owner);
    if (!weight) return failure_of(std::move(weight));
    weights.emplace(range.name, *std::move(weight));
  }
  for (const auto& [name, type] : header->types)
    if (!weights.contains(name))
      return bad_weights(fmt::format("its metadata names '{}', which is not there", shown(name)));
  return weights;
}

}  // namespace dycl
