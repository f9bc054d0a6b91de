// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/type.h"

namespace dycl {

// Returns what makes this type unusable at run time, or nullopt: an unknown symbol, a negative size, too many
// dims, an optional of an optional, types nested too deep or without an element.
std::optional<std::string> problem_of(const Type& type, std::size_t symbol_count);

}  // namespace dycl
