// SPDX-License-Identifier: Apache-2.0
// A fragment: one lowered leaf call (torch.nn.functional.linear on these types), shared by all its
// instances. It has names, symbols and constants of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

inline constexpr const char* kFragmentDomain = "dycl.fragment";

struct Fragment {
  std::string name;  // a hint for people; the printer makes it unique
  std::string key;   // the frontend's: fragments of one key are one
  std::vector<Value> values;
  std::vector<Symbol> symbols;  // sizes that instances bind
  std::vector<Constant> constants;
  std::vector<ValueId> inputs;   // of `values`
  std::vector<ValueId> outputs;  // of `values`; defined by `ops`, each once
  std::vector<TensorOp> ops;     // plain ONNX operators, in order; no instance, no control flow
  std::string aten;              // the functional ATen graph as JSON, opaque; empty: none

  [[nodiscard]] const Type& type_of(ValueId id) const { return values[id.index()].type; }
};

// An instance; give its outputs the fragment's output types with the symbols replaced.
TensorOp instance_of(FragmentPtr fragment, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                     SourceId source = {});

// The fragment's output types for operands of these types. A symbol that no input binds becomes a fresh
// one of `graph`. Fails when an operand does not fit.
Result<std::vector<Type>> output_types(Hcfg& graph, const Fragment& fragment,
                                       std::span<const Type* const> inputs);

// Is the fragment well formed? An empty string, or what is wrong.
std::string fragment_defect(const Fragment& fragment);

// Do the instance's operands and results have the fragment's types? An empty string, or what is wrong.
std::string instance_defect(const Hcfg& graph, const TensorOp& op);

// Every instance replaced by its operators over fresh values and constants of the graph; operators whose
// results nothing in `needed` depends on are left out.
std::vector<TensorOp> expand_fragments(Hcfg& graph, std::span<const TensorOp> ops,
                                       std::span<const ValueId> needed);

// The operation itself, or the only operator of the fragment that it is an instance of (over the
// fragment's values); nullptr when it has several.
const TensorOp* single_operator(const TensorOp& op);

}  // namespace dycl
