// SPDX-License-Identifier: Apache-2.0
// Finds what a person may have meant by a word that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dycl::cli {

// Returns the nearest of the known words, or an empty string if none is near: a letter too many, missing,
// wrong or swapped with its neighbour, in longer words two of them.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace dycl::cli
