// SPDX-License-Identifier: Apache-2.0
// An order of blocks in which every loop is contiguous and what follows a loop comes after it
// (Bourdoncle 1993): the order in which the abstract machine takes program points, so that paths meet.
#pragma once

#include <cstdint>
#include <vector>

#include "program/function.h"

namespace dycl::program {

// Where a block lies: path[0] is its place (or that of the outermost loop around it) in the function,
// path[i + 1] the place inside the loop whose header is loops[i]. So path.size() == loops.size() + 1, a
// loop's header has place 0 in its own loop, and with iteration numbers between, the list
// (path[0], iteration of loops[0], path[1], …) orders program points of unrolled loops.
struct BlockPlace {
  std::vector<std::uint32_t> path;
  std::vector<BlockId> loops;  // headers, outermost first; a header belongs to its own loop
};

struct WeakTopologicalOrder {
  std::vector<BlockId> order;      // reachable blocks only
  std::vector<BlockPlace> places;  // by block; empty path: not reachable

  [[nodiscard]] const BlockPlace& place(BlockId block) const { return places[block.index()]; }
};

WeakTopologicalOrder weak_topological_order(const Function& function);

}  // namespace dycl::program
