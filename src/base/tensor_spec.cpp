// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_spec.h"

#include <fmt/format.h>

#include <charconv>

namespace dycl {
namespace {

Failure malformed(std::string message) {
  return fail(Blame::Usage, "argument.malformed", std::move(message), {},
              "write sizes and element type, as in 1x3x32x32xf32, or i64 for a scalar");
}

}  // namespace

Result<TensorSpec> parse_tensor_spec(std::string_view text) {
  const std::size_t last = text.rfind('x');
  std::string_view sizes = last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
  const auto dtype = dtype_from_name(text.substr(sizes.size()));
  if (!dtype) return malformed(fmt::format("'{}' ends in no known element type (f32, i64, bool, …)", text));
  TensorSpec spec{*dtype, {}};
  while (!sizes.empty()) {
    const std::string_view size = sizes.substr(0, sizes.find('x'));
    std::int64_t dim = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), dim);
    if (error != std::errc{} || end != size.data() + size.size() || dim < 0)
      return malformed(fmt::format("'{}' is not a size in '{}'", size, text));
    spec.dims.push_back(dim);
    sizes.remove_prefix(size.size() + 1);
  }
  return spec;
}

}  // namespace dycl
