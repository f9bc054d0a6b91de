// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/abstract_value.h"

namespace dycl::partial_eval {

Origins united(const Origins& left, const Origins& right) {
  if (!left || left == right) return right;
  if (!right) return left;
  auto both = std::make_shared<std::set<OriginId>>(*left);
  both->insert(right->begin(), right->end());
  return both;
}

}  // namespace dycl::partial_eval
