// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hcfg/hcfg.h"

namespace dycl::optimize {

// Equal part by part, ids included: did a pass change anything? Constants count as equal only when they
// share their contents, so that weights are never read. Sources are not compared: no pass makes new ones.
bool same_graph(const Hcfg& left, const Hcfg& right);

}  // namespace dycl::optimize
