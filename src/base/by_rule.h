// SPDX-License-Identifier: Apache-2.0
// How the compiler and the runtime call the rules of host_rules, which throw: failures become values.
#pragma once

#include "base/result.h"
#include "host_rules/raised.h"

namespace dycl {

template <class Rule>
auto by_rule(const Rule& rule) -> Result<decltype(rule())> {
  try {
    return rule();
  } catch (const host_rules::Raised& exception) {
    return raised(exception.type, exception.message);
  }
}

}  // namespace dycl
