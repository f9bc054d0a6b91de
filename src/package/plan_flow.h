// SPDX-License-Identifier: Apache-2.0
// Finds the blocks of a host plan in its flat list of instructions, and the edges between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "package/host_plan.h"

namespace dycl {

// The instructions [begin, end) of HostPlan::code; the last one transfers control.
struct PlanRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

std::vector<PlanRange> blocks_of(const HostPlan& plan);

struct LabelledEdge {
  const PlanEdge* edge = nullptr;
  std::string label;  // "then", "else", "case 2", "fallback" or ""
};

// Lists the edges in order: then before else, cases before the fallback.
std::vector<LabelledEdge> edges_of(const PlanOperation& operation);

}  // namespace dycl
