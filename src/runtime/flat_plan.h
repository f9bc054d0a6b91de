// SPDX-License-Identifier: Apache-2.0
// The host plan as the executor walks it: the same instructions, checked once, in flat arrays with
// every attribute decoded, so that a step costs a few loads and no look-up by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/scalar.h"
#include "package/artifact.h"
#include "runtime/value.h"

namespace dycl::runtime {

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

template <class T>
std::span<const T> part(const std::vector<T>& all, Range range) {
  return {all.data() + range.begin, range.count};
}

struct FlatOperand {
  SlotIndex slot = 0;
  bool take = false;  // this is the last use, so the value may be moved out and changed in place
};

struct FlatMove {
  SlotIndex from = 0;
  SlotIndex to = 0;
  bool take = false;
};

struct FlatEdge {
  std::uint32_t target = 0;
  Range moves;
  Range dead;
  bool through_scratch = false;  // whether a move overwrites what another one reads
  bool backward = false;         // whether the edge closes a loop
};

enum class FlatKind : std::uint8_t { Call, Host, Jump, Branch, Switch, Return, Raise };

struct FlatInstruction {
  FlatKind kind = FlatKind::Jump;
  HostOp op = HostOp::Item;
  std::uint32_t subject = 0;  // call: sub-DNN · host: attributes · branch, switch: slot
  Range inputs;               // operands; the scalars of a raise, the values of a return
  Range outputs;              // slots
  Range dead;                 // slots; of calls and host operations, an edge has its own
  Range edges;                // jump: 1 · branch: then, else · switch: cases, fallback
};

// The attributes of a host operation; which of them are used depends on the operation.
struct FlatAttributes {
  std::int64_t axis = 0;
  bool new_axis = false;
  bool keepdims = true;
  DType dtype = DType::F32;
  Scalar value = false;
  ScalarContext context;
  const PlanHost* plan = nullptr;  // holds the texts: type and message of a check
  Range sizes;
};

struct FlatTerm {
  std::uint32_t symbol = 0;
  std::int64_t factor = 0;
};

// A size: constant + Σ factor·symbol. It is not `computable` if it needs a symbol that no input binds.
struct FlatDim {
  std::int64_t constant = 0;
  Range terms;
  bool computable = true;
};

// What the plan promises of a slot that holds tensors.
struct FlatShape {
  bool is_tensor = false;
  DType dtype = DType::F32;
  bool ranked = false;
  bool computable = false;  // every size follows from the inputs, so memory can be offered
  bool is_static = false;   // `bytes` is known before the run, too
  std::size_t bytes = 0;
  Range dims;
  Device device;
};

struct FlatSubnet {
  std::uint32_t executable = 0;
  std::uint32_t guards = 0;  // how many further bool outputs there are, which have no slot
};

struct FlatConstant {
  SlotIndex slot = 0;
  RuntimeTensor tensor;
};

struct FlatPlan {
  std::vector<FlatInstruction> code;
  std::vector<FlatOperand> operands;
  std::vector<SlotIndex> slots;
  std::vector<FlatEdge> edges;
  std::vector<FlatMove> moves;
  std::vector<FlatAttributes> attributes;
  std::vector<std::int64_t> sizes;
  std::vector<FlatShape> shapes;  // one per slot
  std::vector<FlatDim> dims;
  std::vector<FlatTerm> terms;
  std::vector<FlatSubnet> subnets;
  std::vector<FlatConstant> constants;
  std::vector<RuntimeValue> initial_states;  // one per state, as sessions begin
  std::vector<bool> is_constant;             // one per slot
  std::vector<ScalarKind> scalar_kinds;      // one per slot; meaningful for scalars
  std::size_t most_call_inputs = 0;
  std::size_t most_call_outputs = 0;  // guards included
  std::size_t most_moves = 0;
};

// Flattens the plan of a verified artifact, whose indices, counts and kinds are right. Fails if a constant
// cannot become a tensor.
Result<std::unique_ptr<FlatPlan>> flatten_plan(const Artifact& artifact);

// Returns the size of one axis of `shape`, given the symbols' sizes (negative: not bound), or -1 if it is not
// known.
std::int64_t size_of_dim(const FlatPlan& plan, const FlatDim& dim, std::span<const std::int64_t> symbols);

}  // namespace dycl::runtime
