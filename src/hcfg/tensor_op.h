// SPDX-License-Identifier: Apache-2.0
// One tensor operation: an ONNX operator, or a fragment, applied to values. Passes move, drop or duplicate
// whole operations; the graphs that backends compile are stamped from them after optimization (src/subnet).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/attribute.h"
#include "base/ids.h"

namespace dycl {

struct OnnxOp {
  std::string domain;        // "" is ONNX's own
  std::string name;          // "Conv"
  std::int64_t version = 0;  // of the operator set that the frontend read it with
  Attributes attributes;
  std::vector<ValueId> inputs;   // an invalid id is an omitted optional input
  std::vector<ValueId> outputs;  // an invalid id is an output nobody asked for
  SourceId source;
};

struct Fragment;
using FragmentPtr = std::shared_ptr<const Fragment>;

// Its outputs have the fragment's output types with the symbols replaced (output_types in hcfg/fragment.h).
struct FragmentCall {
  FragmentCall(FragmentPtr called, std::vector<ValueId> operands, std::vector<ValueId> results,
               SourceId position = {});

  FragmentPtr fragment;          // never null
  std::vector<ValueId> inputs;   // none is omitted
  std::vector<ValueId> outputs;  // an invalid id is an output nobody asked for
  SourceId source;
};

using TensorOp = std::variant<OnnxOp, FragmentCall>;

// These give what both kinds have. They take no temporary, into which the reference would lead: an OnnxOp
// that is turned into a TensorOp for the call is one.
const std::vector<ValueId>& inputs_of(const TensorOp& op);
const std::vector<ValueId>& inputs_of(const TensorOp&& op) = delete;
std::vector<ValueId>& inputs_of(TensorOp& op);
const std::vector<ValueId>& outputs_of(const TensorOp& op);
const std::vector<ValueId>& outputs_of(const TensorOp&& op) = delete;
std::vector<ValueId>& outputs_of(TensorOp& op);
SourceId source_of(const TensorOp& op);
SourceId& source_of(TensorOp& op);

// Says whether it is one of ONNX's own operators, whose domain has two names.
bool is_of_onnx(const OnnxOp& op);

// Returns the ONNX operators among the operations, in order.
std::vector<OnnxOp> onnx_ops_of(std::span<const TensorOp> ops);

}  // namespace dycl
