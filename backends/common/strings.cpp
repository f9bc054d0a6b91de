// SPDX-License-Identifier: Apache-2.0
#include "common/strings.h"

#include <cstdint>
#include <cstring>

#include "base/tensor_data.h"

namespace dycl::plugin {

Status read_strings(const DyclTensor& tensor, std::vector<std::string_view>& strings) {
  strings.clear();
  const auto bad = [] {
    return fail(Blame::Usage, "tensor.bad_strings", "a string tensor's offsets leave its buffer");
  };
  const auto count = element_count({tensor.dims, static_cast<std::size_t>(tensor.rank)});
  if (!count) return bad();
  const std::size_t available = tensor.byte_size / sizeof(std::int64_t);
  if (static_cast<std::uint64_t>(*count) >= available) return bad();
  const std::size_t header = (static_cast<std::size_t>(*count) + 1) * sizeof(std::int64_t);
  const auto* bytes = static_cast<const char*>(tensor.data);
  const auto characters = static_cast<std::int64_t>(tensor.byte_size - header);
  std::int64_t begin = 0;
  std::memcpy(&begin, bytes, sizeof begin);
  if (begin != 0) return bad();
  for (std::size_t index = 1; index <= static_cast<std::size_t>(*count); ++index) {
    std::int64_t end = 0;
    std::memcpy(&end, bytes + index * sizeof end, sizeof end);
    if (end < begin || end > characters) return bad();
    strings.emplace_back(bytes + header + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return {};
}

void write_strings(std::span<const std::string_view> strings, std::vector<std::byte>& bytes) {
  std::size_t total = (strings.size() + 1) * sizeof(std::int64_t);
  for (const std::string_view text : strings) total += text.size();
  bytes.assign(total, std::byte{0});
  auto* offsets = bytes.data();
  std::byte* characters = offsets + (strings.size() + 1) * sizeof(std::int64_t);
  std::int64_t end = 0;
  for (std::size_t index = 0; index < strings.size(); ++index) {
    const std::string_view text = strings[index];
    if (!text.empty()) std::memcpy(characters + end, text.data(), text.size());
    end += static_cast<std::int64_t>(text.size());
    std::memcpy(offsets + (index + 1) * sizeof end, &end, sizeof end);
  }
}

}  // namespace dycl::plugin
