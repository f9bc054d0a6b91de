// SPDX-License-Identifier: Apache-2.0
// An operation that is one of ONNX's own operators, in either form: an OnnxOp, or the call of a fragment that
// holds nothing else.
#pragma once

#include <optional>
#include <vector>

#include "optimize/producers.h"

namespace dycl::optimize {

// Neither member is set: the operand is omitted.
struct Operand {
  ValueId value = {};       // of the graph; invalid: a constant of the fragment
  TensorPtr contents = {};  // null: not known

  [[nodiscard]] bool is_given() const { return value.valid() || contents != nullptr; }
};

struct SingleOperator {
  const OnnxOp* op;  // for its name, version and attributes: its values may be a fragment's
  std::vector<Operand> inputs;
};

// The operator gives exactly the operation's outputs, in their order. Nothing: there are several operators,
// or it is another domain's.
std::optional<SingleOperator> single_operator(const Producers& producers, const TensorOp& op);

}  // namespace dycl::optimize
