// SPDX-License-Identifier: Apache-2.0
// Who defines and who uses a value, and what crosses a sub-DNN's border.
#pragma once

#include <cstddef>
#include <vector>

#include "hcfg/control_flow.h"

namespace dycl {

// A place inside a block: a step, or the terminator when step equals the number of steps.
struct Place {
  BlockId block;
  std::size_t step = 0;
  std::size_t op = 0;  // within a SubnetStep; 0 elsewhere

  auto operator<=>(const Place&) const = default;
};

enum class DefinitionKind { None, Input, Constant, Parameter, Step };

struct Definition {
  DefinitionKind kind = DefinitionKind::None;
  Place place;            // Parameter: the block; Step: where
  std::size_t index = 0;  // which input, constant, parameter or output
};

struct UseTable {
  std::vector<Definition> definitions;   // per value
  std::vector<std::vector<Place>> uses;  // per value, in block and step order; one entry per use

  [[nodiscard]] const Definition& definition(ValueId value) const { return definitions[value.index()]; }
  [[nodiscard]] const std::vector<Place>& uses_of(ValueId value) const { return uses[value.index()]; }
};

// All ids must be in range. A value defined twice keeps its first definition.
UseTable use_table(const Hcfg& graph);

// Calls visit(ValueId&) for each value that a step or terminator reads (omitted inputs skipped), in
// order; with a mutable argument the visitor may replace the id.
template <class Visit>
void for_each_use(const Step& step, const Visit& visit);
template <class Visit>
void for_each_use(Step& step, const Visit& visit);
template <class Visit>
void for_each_use(const Terminator& terminator, const Visit& visit);
template <class Visit>
void for_each_use(Terminator& terminator, const Visit& visit);
// The same for each value that a step defines.
template <class Visit>
void for_each_definition(const Step& step, const Visit& visit);
template <class Visit>
void for_each_definition(Step& step, const Visit& visit);

// What a sub-DNN takes and gives, each value once: inputs in order of first use, outputs in order of
// definition. Constants are inputs like any other (stamping may embed them).
struct SubnetBorder {
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

// `table` must be that of the graph as it is now, the sub-DNN one of its steps.
SubnetBorder border_of(const SubnetStep& subnet, const UseTable& table);

// Values that are needed when a block begins (its parameters not counted) and after its terminator
// (edge arguments are used by the terminator, not after it). Inputs count as defined where the entry
// begins. Constants are never listed: they live everywhere. Sorted ascending.
struct Liveness {
  std::vector<std::vector<ValueId>> live_in;   // per block
  std::vector<std::vector<ValueId>> live_out;  // per block
};

Liveness liveness(const Hcfg& graph, const ControlFlow& flow, const UseTable& table);

}  // namespace dycl

#include "hcfg/uses_visit.h"
