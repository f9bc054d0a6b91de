// SPDX-License-Identifier: Apache-2.0
// The parts of verify(), in the order in which they run: each may rely on the ones before.
#pragma once

#include "base/result.h"
#include "hcfg/dominance.h"
#include "hcfg/symbols.h"
#include "hcfg/uses.h"

namespace dycl {

// Blame::Internal, code "hcfg.verify": "block b2, step 1 (subnet s0), Add: …".
Failure illegal(const Hcfg& graph, Place place, std::string_view message);
Failure illegal(std::string_view message);  // about the graph as a whole
std::string describe(const Hcfg& graph, ValueId value);
std::string describe(const Hcfg& graph, const Type& type);

// Every id, type and constant stands on its own; each value has one definition, each use has one.
Status verify_ids(const Hcfg& graph);

// No control flow in sub-DNNs, tensors only; host operations take and give what host_op.h says.
Status verify_operations(const Hcfg& graph);
Status verify_host_step(const Hcfg& graph, const HostStep& step, Place place);
Status verify_contents(const Hcfg& graph, std::uint32_t input, ValueId contents, Place place);

// Terminators are well typed and return what the graph declares.
Status verify_terminators(const Hcfg& graph);

// Definitions come before uses, loops have one entry.
Status verify_order(const Hcfg& graph, const ControlFlow& flow, const DominatorTree& dominators);

// Symbols are bound before use, edge arguments fit parameters.
// Ranges are well-formed and belong to sizes of inputs, the only ones that are checked.
Status verify_ranges(const Hcfg& graph);
Status verify_symbols(const Hcfg& graph, const ControlFlow& flow, const SymbolBindings& symbols);
Status verify_edges(const Hcfg& graph, const ControlFlow& flow, const SymbolBindings& symbols);

}  // namespace dycl
