// SPDX-License-Identifier: Apache-2.0
// Graphs for property tests: well-formed text-wise (each value defined once), not always legal.
#pragma once

#include <cstdint>

#include "hcfg/hcfg.h"

namespace dycl::testing_support {

Hcfg random_graph(std::uint32_t seed);

// Equal up to the numbering and naming of values and symbols.
bool same_structure(const Hcfg& left, const Hcfg& right);

}  // namespace dycl::testing_support
