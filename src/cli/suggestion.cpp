// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <algorithm>

namespace dycl::cli {
namespace {

// How many letters must be added, left out, changed or swapped with their neighbour.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::vector<std::size_t>> steps(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
  for (std::size_t row = 0; row <= one.size(); ++row)
    for (std::size_t column = 0; column <= other.size(); ++column) {
      if (row == 0 || column == 0) {
        steps[row][column] = row + column;
        continue;
      }
      const std::size_t changed = one[row - 1] == other[column - 1] ? 0 : 1;
      std::size_t least = std::min(
          {steps[row - 1][column] + 1, steps[row][column - 1] + 1, steps[row - 1][column - 1] + changed});
      const bool swapped =
          row > 1 && column > 1 && one[row - 1] == other[column - 2] && one[row - 2] == other[column - 1];
      if (swapped) least = std::min(least, steps[row - 2][column - 2] + 1);
      steps[row][column] = least;
    }
  return steps[one.size()][other.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongWord = 7;
  std::size_t most = word.size() < kLongWord ? 1 : 2;
  std::string nearest;
  for (const std::string& candidate : known) {
    if (candidate.size() > word.size() + most || word.size() > candidate.size() + most) continue;
    const std::size_t steps = distance(word, candidate);
    if (steps > most || (steps == most && !nearest.empty())) continue;
    most = steps;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace dycl::cli
