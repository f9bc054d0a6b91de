// SPDX-License-Identifier: Apache-2.0
#include "runtime/string_tensor.h"

namespace dycl::runtime {

Status check_strings(std::int64_t count, std::span<const std::byte> bytes) {
  const auto damaged = [] {
    return fail(Blame::Usage, "run.input_strings", "a string tensor's offsets do not fit its bytes", {},
                "n strings are n+1 rising int64 offsets, the first 0, followed by the characters");
  };
  const auto slots = static_cast<std::uint64_t>(count) + 1;
  if (slots > bytes.size() / sizeof(std::int64_t)) return damaged();
  const StringReader strings(count, bytes.data());
  const auto available = static_cast<std::int64_t>(bytes.size() - slots * sizeof(std::int64_t));
  if (strings.offset(0) != 0) return damaged();
  for (std::int64_t index = 0; index < count; ++index)
    if (strings.offset(index + 1) < strings.offset(index)) return damaged();
  if (strings.offset(count) > available) return damaged();
  return {};
}

}  // namespace dycl::runtime
