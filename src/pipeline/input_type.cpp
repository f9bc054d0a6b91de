// SPDX-License-Identifier: Apache-2.0
#include "pipeline/input_type.h"

#include <fmt/format.h>

#include <charconv>

namespace dycl {

Result<PinnedInput> parse_input_type(std::string_view text) {
  PinnedInput input;
  std::string_view rest = text;
  const auto bad = [&] {
    return fail(Blame::Usage, "input.bad_type", fmt::format("'{}' is not a tensor type", text), {},
                "write sizes and element type, as in 1x3x32x32xf32");
  };
  while (true) {
    const std::size_t end = rest.find('x');
    if (end == std::string_view::npos) break;
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + end, size);
    if (error != std::errc{} || stop != rest.data() + end || size < 0) return bad();
    input.dims.push_back(size);
    rest.remove_prefix(end + 1);
  }
  const std::optional<DType> dtype = dtype_from_name(rest);
  if (!dtype) return bad();
  input.dtype = *dtype;
  return input;
}

}  // namespace dycl
