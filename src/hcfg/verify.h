// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

// Is this a legal graph? Ids in range, one definition per value, definitions dominate uses, edge
// arguments fit parameters, host operations and terminators well typed, symbols bound before use,
// loops reducible with one header, and no sub-DNN containing If, Loop, Scan or SequenceMap. A failure
// is Blame::Internal with the block and step in its message.
Status verify(const Hcfg& graph);

}  // namespace dycl
