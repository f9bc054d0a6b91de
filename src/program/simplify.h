// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/function.h"

namespace dycl::program {

// Drops every CheckBound of a local that is bound on all paths to it.
void remove_needless_bound_checks(Function& function);

// Drops blocks that nothing reaches, threads jumps through empty blocks, and joins a block with its only
// successor where that has no other predecessor and the same handler.
void merge_blocks(Function& function);

}  // namespace dycl::program
