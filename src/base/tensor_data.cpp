// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_data.h"

#include <algorithm>
#include <cstring>

namespace dycl {
namespace {

std::int64_t offset_at(const TensorData& tensor, std::size_t index) {
  std::int64_t offset = 0;
  std::memcpy(&offset, tensor.bytes.data() + index * sizeof offset, sizeof offset);
  return offset;
}

}  // namespace

std::int64_t TensorData::count() const { return element_count(dims).value_or(0); }

bool TensorData::operator==(const TensorData& other) const {
  return dtype == other.dtype && dims == other.dims && std::ranges::equal(bytes, other.bytes);
}

TensorData make_tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return TensorData{dtype, std::move(dims), std::span(*owner), owner};
}

TensorData make_string_tensor(std::vector<std::int64_t> dims, std::span<const std::string> strings) {
  std::vector<std::int64_t> offsets{0};
  for (const std::string& text : strings)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(text.size()));
  std::vector<std::byte> bytes;
  const auto raw = std::as_bytes(std::span(offsets));
  bytes.assign(raw.begin(), raw.end());
  for (const std::string& text : strings) {
    const auto characters = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), characters.begin(), characters.end());
  }
  return make_tensor(DType::String, std::move(dims), std::move(bytes));
}

Result<std::vector<std::string>> strings_of(const TensorData& tensor) {
  const auto damaged = [] {
    return fail(Blame::Package, "tensor.bad_strings", "a string tensor's offsets leave its buffer");
  };
  const auto count = static_cast<std::size_t>(tensor.count());
  const std::size_t header = (count + 1) * sizeof(std::int64_t);
  if (tensor.bytes.size() < header || offset_at(tensor, 0) != 0) return damaged();
  const auto* characters = reinterpret_cast<const char*>(tensor.bytes.data() + header);
  const auto available = static_cast<std::int64_t>(tensor.bytes.size() - header);
  std::vector<std::string> strings;
  for (std::size_t index = 0; index < count; ++index) {
    const std::int64_t begin = offset_at(tensor, index);
    const std::int64_t end = offset_at(tensor, index + 1);
    if (end < begin || end > available) return damaged();
    strings.emplace_back(characters + begin, static_cast<std::size_t>(end - begin));
  }
  return strings;
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  return count;
}

}  // namespace dycl
