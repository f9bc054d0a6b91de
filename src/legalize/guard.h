// SPDX-License-Identifier: Apache-2.0
// A check that a backend needs because it is silently wrong, or dies, on some values: an extra bool output of
// the sub-DNN that says "raise" (docs/decisions/0007-guards.md).
#pragma once

#include <string>

#include "hcfg/hcfg.h"

namespace dycl::legalize {

struct Guard {
  ValueId raised;    // bool tensor with one element
  std::string type;  // "IndexError", as eager raises it; empty: eager answers, the backend cannot
  std::string message;
  SourceId source;
};

}  // namespace dycl::legalize
