// SPDX-License-Identifier: Apache-2.0
#include "rounds.h"

#include <algorithm>
#include <chrono>

namespace dycl::bench {
namespace {

double microseconds_of(const std::function<void()>& call, std::size_t repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repeats; ++i) call();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(repeats);
}

}  // namespace

Quantiles quantiles_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.1), at(0.5), at(0.9)};
}

Comparison take_turns(const std::function<void()>& first, const std::function<void()>& second,
                      std::size_t rounds, std::size_t repeats) {
  std::vector<double> firsts, seconds, ratios, differences;
  for (std::size_t round = 0; round < rounds + rounds / 4; ++round) {
    // Who goes first changes, so that neither always finds the cache as the other left it.
    const bool swapped = round % 2 == 1;
    double a = swapped ? 0 : microseconds_of(first, repeats);
    const double b = microseconds_of(second, repeats);
    if (swapped) a = microseconds_of(first, repeats);
    if (round < rounds / 4) continue;
    firsts.push_back(a);
    seconds.push_back(b);
    ratios.push_back(a / b);
    differences.push_back(a - b);
  }
  return {quantiles_of(firsts), quantiles_of(seconds), quantiles_of(ratios), quantiles_of(differences)};
}

}  // namespace dycl::bench
