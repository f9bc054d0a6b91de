// SPDX-License-Identifier: Apache-2.0
// Finds the blocks of a host plan in its flat list of instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "package/host_plan.h"

namespace dycl::cli {

struct PlanBlock {
  std::uint32_t begin = 0;  // [begin, end) in HostPlan::code; the last one transfers control
  std::uint32_t end = 0;
};

std::vector<PlanBlock> blocks_of(const HostPlan& plan);

struct LabelledEdge {
  std::uint32_t target = 0;  // index of an instruction
  std::string label;         // "then", "else", "case 2", "fallback" or ""
};

std::vector<LabelledEdge> edges_of(const PlanOperation& operation);

}  // namespace dycl::cli
