// SPDX-License-Identifier: Apache-2.0
// Where the tensors of an emitted program lie: one arena, planned while the program is written.
//
// Slots that pass a value on to each other (by the moves of an edge, as a view, as a state of the next run)
// form a web, which shares a few buffers of the size of its largest tensor. Where a tensor is made, the
// program takes a buffer of the web that no live slot points into: a web needs one buffer more than the most
// slots of it that are alive at such a place. Webs that are never alive together lie over each other. Webs
// with tensors whose sizes are not known yet, or that lie in lists, have no buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "emit/flow.h"

namespace dycl::emit {

using WebIndex = std::uint32_t;
constexpr WebIndex kNoWeb = 0xffffffff;  // numbers have none

struct Web {
  std::size_t bytes = 0;                  // of each buffer, a multiple of 64
  std::vector<std::size_t> offsets = {};  // of its buffers in the arena
  bool borrows = false;                   // a slot of it may point to memory of the caller
  bool is_fixed = true;  // its tensors have sizes that are known now, and none of them is kept in a list
};

// A tensor that comes into being: by a sub-DNN, a host operation, or as the copy of a result that may lie in
// memory of the caller.
struct Making {
  SlotIndex slot = 0;
  std::vector<SlotIndex> avoided = {};  // slots of its web that are alive: their buffers stay as they are
};

struct MemoryPlan {
  std::vector<WebIndex> web_of_slot;
  std::vector<Web> webs;
  std::map<std::uint32_t, std::vector<Making>> makings;  // by instruction, in the order of the outputs
  std::size_t arena_bytes = 0;

  [[nodiscard]] const Web& web_of(SlotIndex slot) const { return webs[web_of_slot[slot]]; }
  // Says whether the slot holds the address of a tensor in the arena (or of the caller, or of a weight).
  // Other tensors have memory of a pool.
  [[nodiscard]] bool is_fixed(SlotIndex slot) const {
    return web_of_slot[slot] != kNoWeb && web_of(slot).is_fixed;
  }
};

// `plan` has only slots that check_slots accepts.
MemoryPlan plan_memory(const HostPlan& plan, const PlanFlow& flow);

}  // namespace dycl::emit
