// SPDX-License-Identifier: Apache-2.0
// Writes the function that runs the model: the statements of its structure, a line per instruction.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "emit/memory.h"
#include "emit/names.h"
#include "emit/results.h"
#include "emit/structure.h"
#include "package/artifact.h"

namespace dycl::emit {

// What the parts of one program share while it is written.
struct ProgramParts {
  const Artifact& artifact;
  const HostPlan& plan;
  PlanFlow flow;
  MemoryPlan memory;
  Results results;
  std::vector<std::string> names;   // of the slots
  std::vector<std::string> sites;   // of the sub-DNNs
  std::vector<std::string> sizes;   // of the plan's symbols
  std::set<std::uint32_t> written;  // inputs of the caller's that a run may give new contents
  std::string name;                 // of the program: a word of C
  bool embed = false;               // whether the package is part of the program

  // Says whether the slot holds the address of a tensor in planned memory, a number, or neither of them.
  [[nodiscard]] bool is_address(SlotIndex slot) const { return memory.is_fixed(slot); }
  [[nodiscard]] bool is_number(SlotIndex slot) const { return plan.slots[slot].scalar() != nullptr; }
  [[nodiscard]] bool is_value(SlotIndex slot) const { return !is_address(slot) && !is_number(slot); }
  // Returns the type of the slot in the program: "const float*", "bool", "emitted::Tensor".
  [[nodiscard]] std::string type_of(SlotIndex slot) const;
};

// Returns the expression of a size: a number, or the name of a variable of the session.
std::string size_text(const ProgramParts& parts, const Dim& dim);

struct Body {
  std::string text;
  std::vector<std::string> places;  // lines of the model, which the text names by number; the first is empty
};

Result<Body> write_body(const ProgramParts& parts);

// Names the web of a slot in the emitted program.
std::string web_name(WebIndex web);

}  // namespace dycl::emit
