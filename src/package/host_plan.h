// SPDX-License-Identifier: Apache-2.0
// The host plan is a flat list of instructions over numbered slots. host_gen writes it from the HCFG, and the
// runtime executes it; it is all that the runtime knows of control flow.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/attribute.h"
#include "base/dim_range.h"
#include "base/host_op.h"
#include "base/result_tree.h"
#include "base/source_span.h"
#include "base/type.h"

namespace dycl {

using SlotIndex = std::uint32_t;

// A named size. An input whose size is outside the range is refused.
struct PlanSymbol {
  std::string name;
  DimRange range = {};
  bool operator==(const PlanSymbol&) const = default;
};

struct PlanPort {
  std::string name;
  Type type;  // dims may name symbols: equal names must have equal sizes in one call
  SlotIndex slot = 0;
  bool optional = false;
  // For a state, which the session keeps from run to run, these are the weights that it begins with (see
  // base/first_contents.h). States come last.
  std::optional<std::vector<std::string>> initial = {};

  [[nodiscard]] bool is_state() const { return initial.has_value(); }
};

// A constant is loaded once per session into its slot and never released.
struct PlanConstant {
  SlotIndex slot = 0;
  std::string weight;  // name in the package's weights
};

// A guard is an extra bool output at the end of a sub-DNN's outputs. If it is true, the runtime raises this.
struct PlanGuard {
  std::string type;  // "IndexError"
  std::string message;
  SourceSpan source;
  std::vector<SourceSpan> callers = {};  // of the source, innermost first
};

struct PlanSubnet {
  std::string name;  // "s3", for people and traces
  std::string hash;  // key of the sub-DNN in the package
  std::string backend;
  std::vector<PlanGuard> guards;
};

struct PlanMove {
  SlotIndex from = 0;
  SlotIndex to = 0;
};

// Moves are parallel: all are read before any is written. `dead` slots are released after them.
struct PlanEdge {
  std::uint32_t target = 0;  // index of an instruction
  std::vector<PlanMove> moves;
  std::vector<SlotIndex> dead;
};

struct PlanCall {
  std::uint32_t subnet = 0;
  std::vector<SlotIndex> inputs;
  std::vector<SlotIndex> outputs;
};
struct PlanHost {
  HostOp op = HostOp::Item;
  Attributes attributes;
  std::vector<SlotIndex> inputs;
  std::vector<SlotIndex> outputs;
};
struct PlanJump {
  PlanEdge edge;
};
struct PlanBranch {
  SlotIndex condition = 0;
  PlanEdge then_edge;
  PlanEdge else_edge;
};
struct PlanSwitch {
  SlotIndex index = 0;
  std::vector<PlanEdge> cases;
  PlanEdge fallback;
};
struct PlanReturn {
  std::vector<SlotIndex> values;  // without a tree: one per output of the program; then what is written
  ResultTree tree = {};           // the structure that this site returns; then the program lists no outputs
  // Inputs (by number, ascending) that have new contents: the last values.
  std::vector<std::uint32_t> writes = {};

  [[nodiscard]] std::size_t result_count() const { return values.size() - writes.size(); }
};
struct PlanRaise {
  std::string type;
  std::string format;
  std::vector<SlotIndex> scalars;  // those of the message; then the values in `attributes`
  ResultTree attributes = {};      // a dict of what Python sets on the exception; null: nothing
};

using PlanOperation =
    std::variant<PlanCall, PlanHost, PlanJump, PlanBranch, PlanSwitch, PlanReturn, PlanRaise>;

struct PlanInstruction {
  PlanOperation operation;
  std::vector<SlotIndex> dead;  // slots that are last used here: may be changed in place, are then released
  SourceSpan source;
  std::vector<SourceSpan> callers = {};  // of the source, innermost first
};

// Where a block of the graph begins in the code. It ends where the next one begins.
struct PlanBlock {
  std::uint32_t start = 0;
  std::uint32_t number = 0;  // as in the graph's text
  bool operator==(const PlanBlock&) const = default;
};

struct HostPlan {
  std::vector<PlanSymbol> symbols;  // of the dims, indexed by SymbolId
  std::vector<Type> slots;
  std::vector<std::string> names;  // of the slots, for people; may be empty, as each of them may
  std::vector<PlanPort> inputs;
  std::vector<PlanPort> outputs;  // slot unused: a return names its values
  std::vector<PlanConstant> constants;
  std::vector<PlanSubnet> subnets;
  std::vector<PlanInstruction> code;  // execution starts at 0; a block's last instruction transfers control
  std::vector<PlanBlock> blocks;      // in the order of the code; may be empty: then edges have no names
};

// Returns a type for people: "f32[batch,3]", or "f32[batch=1..8,3]" if the size has limits.
std::string type_text(const HostPlan& plan, const Type& type);

// Returns the input to which a HostOp::Write gives new contents.
std::uint32_t written_input(const PlanHost& write);
// Returns the inputs and states to which a run may give new contents.
std::set<std::uint32_t> written_inputs(const HostPlan& plan);
// Returns those that the caller gives: the others are states of a session.
std::set<std::uint32_t> written_inputs_of_caller(const HostPlan& plan);

}  // namespace dycl
