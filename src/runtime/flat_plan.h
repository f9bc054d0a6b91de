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
  bool take = false;  // last use: the value may be moved out and changed in place
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
  bool through_scratch = false;  // a move overwrites what another one reads
  bool backward = false;         // closes a loop
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

// Attributes of a host operation; which ones count depends on the operation.
struct FlatAttributes {
  std::int64_t axis = 0;
  bool new_axis = false;
  bool keepdims = true;
  DType dtype = DType::F32;
  Scalar value = false;
  ScalarContext context;
  const PlanHost* plan = nullptr;  // texts stay there: type and message of a check
  Range sizes;
};

struct FlatTerm {
  std::uint32_t symbol = 0;
  std::int64_t factor = 0;
};

// constant + Σ factor·symbol. Sizes that need symbols which no input binds are not `computable`.
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
  bool computable = false;  // every size follows from the inputs: memory can be offered
  bool is_static = false;   // `bytes` is known beforehand too
  std::size_t bytes = 0;
  Range dims;
  Device device;
};

struct FlatSubnet {
  std::uint32_t executable = 0;
  std::uint32_t guards = 0;  // further bool outputs, which have no slot
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

// The artifact is a verified one: its indices, counts and kinds are right. It fails where a constant cannot
// become a tensor.
Result<std::unique_ptr<FlatPlan>> flatten_plan(const Artifact& artifact);

// sizes[axis] of `shape`, given the symbols' sizes (negative: not bound); -1 when it is not known.
std::int64_t size_of_dim(const FlatPlan& plan, const FlatDim& dim, std::span<const std::int64_t> symbols);

}  // namespace dycl::runtime
