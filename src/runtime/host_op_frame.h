// SPDX-License-Identifier: Apache-2.0
// The part of the running session that a host operation sees.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "runtime/buffer_pool.h"
#include "runtime/flat_plan.h"

namespace dycl::runtime {

struct HostFrame {
  const FlatPlan& plan;
  std::span<RuntimeValue> slots;
  std::span<const std::int64_t> symbols;  // sizes that this call's inputs bound; negative: not bound
  BufferPool& pool;
};

// One host operation of the plan, while it runs. The plan's types have been checked, but in a damaged plan a
// slot may still be empty or hold another kind, so the functions that give operands check their kind.
class HostCall {
 public:
  HostCall(const HostFrame& frame, const FlatInstruction& code) : frame_(frame), code_(code) {}

  [[nodiscard]] HostOp op() const { return code_.op; }
  [[nodiscard]] std::size_t operands() const { return code_.inputs.count; }
  [[nodiscard]] const FlatPlan& plan() const { return frame_.plan; }
  [[nodiscard]] const FlatAttributes& attributes() const { return frame_.plan.attributes[code_.subject]; }
  [[nodiscard]] std::span<const std::int64_t> sizes() const {
    return part(frame_.plan.sizes, attributes().sizes);
  }
  [[nodiscard]] std::span<const std::int64_t> symbols() const { return frame_.symbols; }
  [[nodiscard]] BufferPool& pool() const { return frame_.pool; }
  [[nodiscard]] SlotIndex output_slot() const { return frame_.plan.slots[code_.outputs.begin]; }

  [[nodiscard]] const RuntimeValue& operand(std::size_t index) const {
    return frame_.slots[input(index).slot];
  }
  // Gives the operand's value. It is moved out if this is its last use, so that it may be unshared.
  [[nodiscard]] RuntimeValue take(std::size_t index) const {
    RuntimeValue& slot = frame_.slots[input(index).slot];
    return input(index).take ? std::exchange(slot, NoValue{}) : slot;
  }
  [[nodiscard]] const std::int64_t* integer(std::size_t index) const {
    const Scalar* scalar = operand(index).scalar();
    return scalar == nullptr ? nullptr : std::get_if<std::int64_t>(scalar);
  }

  Status give(RuntimeValue value) const {
    frame_.slots[output_slot()] = std::move(value);
    return {};
  }

  [[nodiscard]] Failure bad_operand() const {
    return fail(Blame::Package, "run.bad_plan",
                fmt::format("the host plan gives '{}' a value of another kind, or none", name_of(op())));
  }

 private:
  [[nodiscard]] const FlatOperand& input(std::size_t index) const {
    return frame_.plan.operands[code_.inputs.begin + index];
  }

  const HostFrame& frame_;
  const FlatInstruction& code_;
};

}  // namespace dycl::runtime
