// SPDX-License-Identifier: Apache-2.0
// Runs a graph step by step, plainly: the reference that backends, passes and the runtime are held
// against. Tensor operations go to an evaluator; all else is done here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/scalar.h"
#include "hcfg/control_flow.h"
#include "hcfg/evaluator.h"
#include "hcfg/uses.h"

namespace dycl {

struct InterpreterValue;

struct SeqValue {
  std::shared_ptr<const std::vector<InterpreterValue>> items;  // never null
};
struct OptionalValue {
  std::shared_ptr<const InterpreterValue> value;  // null: none
};

struct InterpreterValue : std::variant<TensorPtr, Scalar, SeqValue, OptionalValue, std::string> {
  using variant::variant;
};

// Looks on, and may lead the run elsewhere: how verification compares sub-DNNs and forces decisions.
class InterpreterObserver {
 public:
  using Tensors = std::function<TensorPtr(ValueId)>;

  virtual ~InterpreterObserver() = default;
  // A sub-DNN has run: what it took and everything that it computed is there. A failure ends the run.
  virtual Status after_subnet(Place place, const Tensors& tensors) = 0;
  // The edge to take, an edge of the same block; none ends the run without results.
  virtual std::optional<EdgeId> take(EdgeId decided) = 0;
};

struct InterpretOptions {
  std::size_t step_limit = 1'000'000;  // steps and terminators; loops that never end stop here
  bool record_path = false;
  InterpreterObserver* observer = nullptr;
};

struct InterpreterOutcome {
  std::vector<InterpreterValue> outputs;
  std::vector<std::uint32_t> writes;  // inputs whose new contents the last outputs are
  std::vector<EdgeId> path;           // edges taken, when asked for
  std::size_t steps = 0;
};

// What a state begins with, as a value.
InterpreterValue first_value(const Port& state);

// One input per port (the states may all be left out: they are as at first); for a port that may be left out,
// an OptionalValue without a value says so. The graph is verified first. Every value is held against its
// type, sizes and symbols included: a contradiction at an input is Blame::Usage, elsewhere Blame::Internal.
// What the model raises is Blame::Model.
Result<InterpreterOutcome> interpret(const Hcfg& graph, std::span<const InterpreterValue> inputs,
                                     TensorOpEvaluator& evaluator, const InterpretOptions& options = {});

}  // namespace dycl
