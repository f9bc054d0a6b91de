// SPDX-License-Identifier: Apache-2.0
#include "known_refusals.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dycl::conformance {
namespace {

// backend, test ("*": any)
constexpr auto refusals = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"skeleton", "*"},  // Identity, Add and Less only
    {"openvino", "*"},  // to be narrowed with the plugin
});

}  // namespace

bool may_refuse(std::string_view backend, std::string_view test) {
  return std::ranges::any_of(refusals, [&](const auto& entry) {
    return entry.first == backend && (entry.second == "*" || entry.second == test);
  });
}

}  // namespace dycl::conformance
