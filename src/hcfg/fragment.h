// SPDX-License-Identifier: Apache-2.0
// A fragment: one lowered leaf call (torch.nn.functional.linear on these types), shared by all calls of it
// (FragmentCall). It has names, symbols and constants of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

struct Fragment {
  std::string name;  // a hint for people; the printer makes it unique
  std::string key;   // the frontend's: fragments of one key are one
  std::vector<GraphValue> values;
  std::vector<Symbol> symbols;  // sizes that calls bind
  std::vector<Constant> constants;
  std::vector<ValueId> inputs;   // of `values`
  std::vector<ValueId> outputs;  // of `values`; defined by `ops`, each once
  std::vector<OnnxOp> ops;       // in order; no control flow
  std::string aten;              // the functional ATen graph as JSON, opaque; empty: none

  [[nodiscard]] const Type& type_of(ValueId id) const { return values[id.index()].type; }
};

// The fragment's output types for operands of these types. A symbol that no input binds becomes a fresh
// one of `graph`. Fails when an operand does not fit.
Result<std::vector<Type>> output_types(Hcfg& graph, const Fragment& fragment,
                                       std::span<const Type* const> inputs);

// Is the fragment well formed? An empty string, or what is wrong.
std::string fragment_defect(const Fragment& fragment);

// Do the call's operands and results have the fragment's types? An empty string, or what is wrong.
std::string call_defect(const Hcfg& graph, const FragmentCall& call);

// Every call replaced by the fragment's operators over fresh values and constants of the graph; operators
// whose results nothing in `needed` depends on are left out, if there is any call.
std::vector<OnnxOp> expand_fragments(Hcfg& graph, std::span<const TensorOp> ops,
                                     std::span<const ValueId> needed);

// The operator's name, or the fragment's.
std::string operation_name(const TensorOp& op);

}  // namespace dycl
