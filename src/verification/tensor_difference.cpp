// SPDX-License-Identifier: Apache-2.0
#include "verification/tensor_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/element.h"

namespace dycl::verification {
namespace {

constexpr double kApart = std::numeric_limits<double>::infinity();

bool is_same_special(double actual, double expected) {
  return actual == expected || (std::isnan(actual) && std::isnan(expected));
}

}  // namespace

double tensor_difference(const TensorData& actual, const TensorData& expected) {
  if (actual.dtype != expected.dtype || actual.dims != expected.dims) return kApart;
  if (actual == expected) return 0;
  double distance = 0;
  double scale = 1;
  for (std::size_t index = 0; index < static_cast<std::size_t>(expected.count()); ++index) {
    const Result<Scalar> ours = element_at(actual, index);
    const Result<Scalar> theirs = element_at(expected, index);
    if (!ours || !theirs) return kApart;
    const auto* a = std::get_if<double>(&*ours);
    const auto* b = std::get_if<double>(&*theirs);
    if (a == nullptr || b == nullptr) {
      if (*ours != *theirs) return kApart;
    } else if (!std::isfinite(*a) || !std::isfinite(*b)) {
      if (!is_same_special(*a, *b)) return kApart;
    } else {
      distance = std::max(distance, std::abs(*a - *b));
      scale = std::max(scale, std::abs(*b));
    }
  }
  return distance / scale;
}

}  // namespace dycl::verification
