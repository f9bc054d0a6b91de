// SPDX-License-Identifier: Apache-2.0
// Removing parts of a graph, each in one walk.
#pragma once

#include <functional>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl::optimize {

// Removes block parameters together with the edge arguments that feed them.
void drop_parameters(Hcfg& graph, const std::function<bool(ValueId parameter)>& gone);

// Removes operations and host steps by what they define, and sub-DNNs that are left empty.
void drop_steps(Hcfg& graph, const std::function<bool(const std::vector<ValueId>& outputs)>& gone);

// Keeps the marked blocks, in order, and renumbers edges. No kept block may lead to one that is not.
void keep_blocks(Hcfg& graph, const std::vector<bool>& kept);

// Whoever makes an edge disappear calls this: a legal graph's blocks are all reached.
void drop_unreachable_blocks(Hcfg& graph);

// Drops constants, values and symbols that nothing mentions and renumbers the others in order.
void compact_tables(Hcfg& graph);

}  // namespace dycl::optimize
