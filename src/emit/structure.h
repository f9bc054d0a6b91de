// SPDX-License-Identifier: Apache-2.0
// The control flow of a host plan as statements of C++: if, while, switch, and labels where a jump leaves
// more than they can say.
//
// Structure follows dominance. A block stands where its dominator's code ends; one that several edges reach
// stands behind the statement that they come from, and one that only leaves a loop stands behind the loop.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "emit/flow.h"

namespace dycl::emit {

struct Statement;
using Statements = std::vector<Statement>;

// All instructions of a block but the last one.
struct Steps {
  BlockIndex block = 0;
};
// What an edge hands to the parameters of its target, and what dies on it.
struct Moves {
  const PlanEdge* edge = nullptr;
};
// NextTrip begins the next trip of a loop around the innermost one.
enum class LeaveKind : std::uint8_t { Goto, Break, Continue, NextTrip };
struct Leave {
  LeaveKind kind = LeaveKind::Goto;
  BlockIndex target = 0;
};
struct Label {
  BlockIndex block = 0;
  bool ends_trip = false;  // it stands at the end of the loop whose header is the block
};
struct If {
  BlockIndex block = 0;  // its branch decides
  bool negated = false;
  Statements then;
  Statements otherwise;
};
struct Cases {
  BlockIndex block = 0;  // its switch decides
  std::vector<Statements> cases;
  Statements fallback;
};
struct Loop {
  BlockIndex header = 0;
  Statements body;
};
// The last instruction of a block, which returns or raises.
struct Finish {
  BlockIndex block = 0;
};

struct Statement : std::variant<Steps, Moves, Leave, Label, If, Cases, Loop, Finish> {
  using variant::variant;
};

// `is_released` says of each slot whether its value takes memory that must be let go of.
Statements structure_of(const HostPlan& plan, const PlanFlow& flow, std::vector<bool> is_released);

// Prints the structure alone, for tests: "steps 0 if 0 { steps 1 } else { … } finish 2".
std::string to_text(const Statements& structure);

}  // namespace dycl::emit
