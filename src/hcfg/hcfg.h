// SPDX-License-Identifier: Apache-2.0
// The heterogeneous control-flow graph: blocks of sub-DNNs (device) and host operations, joined by
// typed edges. Every frontend builds it, every pass maps it to itself, host_gen consumes it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/attribute.h"
#include "base/dim_range.h"
#include "base/first_contents.h"
#include "base/host_op.h"
#include "base/ids.h"
#include "base/result_tree.h"
#include "base/scalar.h"
#include "base/source_span.h"
#include "base/tensor_data.h"
#include "base/type.h"
#include "hcfg/tensor_op.h"

namespace dycl {

// A conditional-free group of tensor operations, compiled as one. Its inputs are the values it uses
// and does not define, its outputs those that something outside uses: both are derived.
struct SubnetStep {
  std::string name;
  std::vector<TensorOp> ops;
};

struct HostStep {
  HostOp op = HostOp::Item;
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  SourceId source;
};

using Step = std::variant<SubnetStep, HostStep>;

// Returns the number that a HostOp::Const gives, which is of this kind; nothing if it states no such number.
std::optional<Scalar> scalar_of_const(const HostStep& step, ScalarKind kind);

struct Edge {
  BlockId target;
  std::vector<ValueId> arguments;  // one per parameter of the target
};

struct Jump {
  Edge edge;
};
struct Branch {
  ValueId condition;  // scalar bool
  Edge then_edge;
  Edge else_edge;
};
struct Switch {
  ValueId index;  // scalar int; outside 0..cases-1 the fallback is taken
  std::vector<Edge> cases;
  Edge fallback;
};
struct Return {
  std::vector<ValueId> values;  // without a tree: one per graph output; then what is written
  ResultTree tree = {};         // the structure that this site returns; then the graph declares no outputs
  // Inputs (by number, ascending) that have new contents: the last values. The caller's tensors, or state.
  std::vector<std::uint32_t> writes = {};

  [[nodiscard]] std::size_t result_count() const { return values.size() - writes.size(); }
};
struct Raise {
  std::string type;    // "ValueError"
  std::string format;  // "bad size {}", "{!r}", "{:.3f}": one field per scalar, Python's format language
  std::vector<ValueId> scalars;  // those of the message; then the values in `attributes`
  ResultTree attributes = {};    // a dict of what Python sets on the exception; null: nothing
};

using Terminator = std::variant<Jump, Branch, Switch, Return, Raise>;

struct Block {
  std::vector<ValueId> parameters;
  std::vector<Step> steps;
  Terminator terminator = Return{};
  SourceId source;
};

// Names are hints for people: the printer makes them unique.
struct GraphValue {
  Type type;
  std::string name;
};
struct Symbol {
  std::string name;
  DimRange range = {};  // limited only for sizes of the graph's inputs, which are checked at every call
};

// A tensor known at compile time; visible everywhere.
struct Constant {
  ValueId value;
  TensorPtr data;
};

struct Port {
  std::string name;       // exactly as the user wrote it
  ValueId value;          // inputs only
  Type type;              // declared type
  bool optional = false;  // an input that may be left out
  // State of a session: not given by the caller but kept from call to call, and this at first. Such inputs
  // come last.
  std::optional<FirstContents> initial = {};

  [[nodiscard]] bool is_state() const { return initial.has_value(); }
};

// A position in the user's model, and the call that led there (inlining): innermost first.
struct Source {
  SourceSpan span;
  SourceId caller = {};
  bool operator==(const Source&) const = default;
};

struct Hcfg {
  std::string name = "main";
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<GraphValue> values;
  std::vector<Symbol> symbols;
  std::vector<Constant> constants;
  std::vector<Block> blocks;    // blocks[0] is the entry and has no parameters
  std::vector<Source> sources;  // a caller comes before what it calls

  [[nodiscard]] const GraphValue& value(ValueId id) const { return values[id.index()]; }
  [[nodiscard]] const Type& type_of(ValueId id) const { return values[id.index()].type; }
  [[nodiscard]] SourceSpan source(SourceId id) const {
    return id.valid() ? sources[id.index()].span : SourceSpan{};
  }
  // Innermost first; empty when nothing is known.
  [[nodiscard]] std::vector<SourceSpan> source_stack(SourceId id) const;

  ValueId add_value(Type type, std::string value_name);
  SymbolId add_symbol(std::string symbol_name);
  SourceId add_source(SourceSpan span, SourceId caller = {});  // equal to the last one: reused
  BlockId add_block();
  ValueId add_constant(TensorData data, std::string value_name);
  ValueId add_constant(TensorPtr data, std::string value_name);  // shares the bytes and their owner
};

}  // namespace dycl
