// SPDX-License-Identifier: Apache-2.0
#include "hcfg/tensor_op.h"

#include <utility>

#include "base/overloaded.h"
#include "base/result.h"

namespace dycl {

FragmentCall::FragmentCall(FragmentPtr called, std::vector<ValueId> operands, std::vector<ValueId> results,
                           SourceId position)
    : fragment(std::move(called)),
      inputs(std::move(operands)),
      outputs(std::move(results)),
      source(position) {
  if (fragment == nullptr) internal_error("a call of no fragment");
}

const std::vector<ValueId>& inputs_of(const TensorOp& op) {
  using Ids = const std::vector<ValueId>;
  return std::visit(Overloaded{
                        [](const OnnxOp& plain) -> Ids& { return plain.inputs; },
                        [](const FragmentCall& call) -> Ids& { return call.inputs; },
                    },
                    op);
}

const std::vector<ValueId>& outputs_of(const TensorOp& op) {
  using Ids = const std::vector<ValueId>;
  return std::visit(Overloaded{
                        [](const OnnxOp& plain) -> Ids& { return plain.outputs; },
                        [](const FragmentCall& call) -> Ids& { return call.outputs; },
                    },
                    op);
}

SourceId source_of(const TensorOp& op) {
  return std::visit(Overloaded{
                        [](const OnnxOp& plain) { return plain.source; },
                        [](const FragmentCall& call) { return call.source; },
                    },
                    op);
}

SourceId& source_of(TensorOp& op) {
  return std::visit(Overloaded{
                        [](OnnxOp& plain) -> SourceId& { return plain.source; },
                        [](FragmentCall& call) -> SourceId& { return call.source; },
                    },
                    op);
}

// A mutable operation gives mutable ids: each is looked up in one place.
std::vector<ValueId>& inputs_of(TensorOp& op) {
  return const_cast<std::vector<ValueId>&>(inputs_of(std::as_const(op)));
}
std::vector<ValueId>& outputs_of(TensorOp& op) {
  return const_cast<std::vector<ValueId>&>(outputs_of(std::as_const(op)));
}

bool is_of_onnx(const OnnxOp& op) { return op.domain.empty() || op.domain == "ai.onnx"; }

std::vector<OnnxOp> onnx_ops_of(std::span<const TensorOp> ops) {
  std::vector<OnnxOp> plain;
  for (const TensorOp& op : ops)
    if (const auto* one = std::get_if<OnnxOp>(&op)) plain.push_back(*one);
  return plain;
}

}  // namespace dycl
