// SPDX-License-Identifier: Apache-2.0
// Two contenders measured side by side: they take turns, and each turn gives one ratio. Machines are
// shared and noisy, so that a time alone says little.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace dycl::bench {

struct Quantiles {
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
};
Quantiles quantiles_of(std::vector<double> values);

struct Comparison {
  Quantiles first_us;  // one call of the first contender
  Quantiles second_us;
  Quantiles ratio;          // first / second, per round
  Quantiles difference_us;  // first − second, per round
};

// Every round times `repeats` calls of each in turn; rounds before the first quarter only warm up.
Comparison take_turns(const std::function<void()>& first, const std::function<void()>& second,
                      std::size_t rounds, std::size_t repeats);

}  // namespace dycl::bench
