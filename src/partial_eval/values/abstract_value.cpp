// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/abstract_value.h"

#include <algorithm>

namespace dycl::partial_eval {

Origins united(const Origins& left, const Origins& right) {
  if (!left || left == right) return right;
  if (!right) return left;
  auto both = std::make_shared<std::set<OriginId>>(*left);
  both->insert(right->begin(), right->end());
  return both;
}

bool have_common(const Origins& left, const Origins& right) {
  return left && right &&
         std::ranges::any_of(*left, [&](OriginId origin) { return right->contains(origin); });
}

}  // namespace dycl::partial_eval
