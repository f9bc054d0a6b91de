// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hcfg/dominance.h"
#include "optimize/producers.h"

namespace dycl::optimize {

// A loop whose header leaves it, at the latest, when a counter reaches a limit that is known.
struct CountedLoop {
  Loop loop;
  ValueId test;  // "counter < limit", computed in the header: true on each trip, false after the last
  std::int64_t trips = 0;  // how often the test is true, unless the loop is left early
};

// Recognises a header that branches on `counter < limit` or `counter <= limit`, alone or `and`ed with other
// conditions, where the counter starts at a known value and every way round adds the same known step.
std::optional<CountedLoop> counted_loop(const Hcfg& graph, const ControlFlow& flow,
                                        const Producers& producers, const Loop& loop);

}  // namespace dycl::optimize
