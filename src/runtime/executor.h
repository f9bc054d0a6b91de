// SPDX-License-Identifier: Apache-2.0
// Walks the flat plan: the machinery behind RunSession.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/buffer_pool.h"
#include "runtime/decisions.h"
#include "runtime/flat_plan.h"
#include "runtime/program.h"
#include "runtime/session.h"

namespace dycl::runtime {

class Executor {
 public:
  explicit Executor(std::shared_ptr<const LoadedProgram> program);

  // Gives the values of the return that was reached, or the reason why none was. It always empties the slots.
  // If the model raises, the outputs are the contents that it leaves in written_inputs().
  Status run(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs);

  void set_trace(TraceRecorder* recorder);
  void set_decisions(DecisionTrace* decisions) { decisions_ = decisions; }
  // Returns the instruction that the last run ended with; null after a failure.
  [[nodiscard]] const PlanReturn* last_return() const { return last_return_; }
  [[nodiscard]] std::span<const std::uint32_t> written_inputs() const { return written_; }
  void reset_states();
  [[nodiscard]] RunStats stats() const;
  [[nodiscard]] const LoadedProgram& program() const { return *program_; }

 private:
  Status execute(std::vector<RuntimeValue>& outputs);
  Status host_op(const FlatInstruction& code, std::uint32_t at);
  const FlatEdge* edge_of_branch(const FlatInstruction& code) const;
  const FlatEdge* edge_of_switch(const FlatInstruction& code) const;
  std::uint32_t follow(const FlatEdge& edge);
  void note_read(const FlatInstruction& code, std::uint32_t at);
  void note_edge(std::uint32_t at, const FlatEdge& edge);
  void locate_at(Diagnostic& diagnostic, std::uint32_t at) const;
  void release(Range dead);
  void give_results(const FlatInstruction& code, std::vector<RuntimeValue>& outputs);
  void clear_slots();
  void bind_states();
  void keep_states(std::vector<RuntimeValue>& outputs);
  void give_what_is_left(std::vector<RuntimeValue>& outputs);
  Failure raise(const FlatInstruction& code, std::uint32_t at) const;
  // Returns the number of steps after which to ask may_go_on.
  std::uint64_t next_pause() const;
  Status may_go_on(std::uint32_t at);
  Failure step_limit_reached(std::uint32_t at) const;

  // executor_call.cpp
  Status call_subnet(const FlatInstruction& code, std::uint32_t at);
  Result<BackendCall*> call_of(const FlatSubnet& subnet);
  Status prepare_inputs(const FlatInstruction& code);
  void prepare_output(std::size_t index, const FlatShape& shape);
  Status accept_outputs(const FlatInstruction& code);
  RuntimeTensor take_output(std::size_t index, const FlatSubnet& subnet);
  Status check_output(const RuntimeTensor& tensor, const FlatShape& shape, const DyclOutput& raw) const;
  Status check_guards(const FlatInstruction& code, std::uint32_t at);
  [[nodiscard]] Failure raise_guard(const PlanGuard& guard, std::uint32_t at) const;
  void abandon_outputs(std::size_t count);

  [[nodiscard]] const PlanInstruction& instruction(std::uint32_t at) const {
    return program_->artifact().plan.code[at];
  }

  std::shared_ptr<const LoadedProgram> program_;
  const FlatPlan& plan_;
  BufferPool::Handle pool_;
  std::vector<RuntimeValue> slots_;
  std::vector<std::int64_t> symbols_;
  std::vector<RuntimeValue> states_;    // one per state of the program
  std::vector<std::uint32_t> written_;  // inputs of the caller to which the last run gave new contents
  std::vector<RuntimeValue> left_;      // by input: its contents if the run raises; most have none
  std::vector<RuntimeValue> move_scratch_;
  std::vector<std::optional<BackendCall>> calls_;  // one per executable, made at its first call
  std::vector<DyclTensor> call_inputs_;
  std::vector<DyclOutput> call_outputs_;
  std::vector<BufferRef> offers_;
  using Clock = std::chrono::steady_clock;

  std::uint64_t steps_ = 0;
  Clock::time_point asked_;      // when the executor last asked whether the run is interrupted
  std::uint32_t last_loop_ = 0;  // target of the last edge that went back
  RunStats stats_;
  TraceRecorder* recorder_ = nullptr;
  DecisionTrace* decisions_ = nullptr;
  const PlanReturn* last_return_ = nullptr;
};

}  // namespace dycl::runtime
