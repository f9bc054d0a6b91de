// SPDX-License-Identifier: Apache-2.0
// One thread's run state of a loaded program: slots, buffers and backend calls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/program.h"
#include "runtime/value.h"

namespace dycl::runtime {

class TraceRecorder;   // runtime/trace.h
struct DecisionTrace;  // runtime/decisions.h

// Counted over all runs of a session.
struct RunStats {
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t subnet_calls = 0;
  std::uint64_t host_ops = 0;
  std::uint64_t pool_bytes = 0;       // memory that the session's pool holds or has lent out
  std::uint64_t backend_outputs = 0;  // outputs in the backend's memory: their shape was not known before
};

// Used by one thread at a time; two at once get an error, not a race. Values it returned may outlive
// it and may be dropped by any thread: their memory returns to the session's pool.
class RunSession {
 public:
  explicit RunSession(std::shared_ptr<const LoadedProgram> program);
  RunSession(RunSession&&) noexcept;
  RunSession& operator=(RunSession&&) noexcept;
  ~RunSession();

  // One value per input of the program, in its order (its states are the session's own); NoValue leaves an
  // optional input out.
  //   run.input_count, run.input_missing, run.input_kind, run.input_dtype, run.input_rank,
  //   run.input_dim, run.input_symbol   Blame::Usage: the inputs do not fit
  //   run.inputs_overlap                Blame::Usage: one of them is written to and shares memory
  //   model.raised                      Blame::Model: a raise, a guard or a failing host operation
  //   run.backend                       Blame::Backend: a sub-DNN failed
  //   run.step_limit, run.out_of_memory, run.session_busy   Blame::Usage
  //   run.output_contract, run.bad_plan Blame::Internal, Blame::Package
  Result<std::vector<RuntimeValue>> run(std::span<const RuntimeValue> inputs);

  // The same into a vector that is reused. With static shapes, from the second run on, neither this
  // call nor dropping the former outputs allocates memory.
  Status run(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs);

  // Records each sub-DNN call and host operation of later runs; nullptr switches it off.
  void set_trace(TraceRecorder* recorder);

  // Appends what later runs decide; nullptr switches it off.
  void set_decisions(DecisionTrace* decisions);

  // The return that the last run ended with: its tree says what structure the outputs have. Null after a
  // failure. Belongs to the program.
  [[nodiscard]] const PlanReturn* last_return() const;

  // The caller's inputs that the last run gave new contents: the last outputs, one for each.
  [[nodiscard]] std::span<const std::uint32_t> written_inputs() const;

  // The states are again what they were when the session began.
  Status reset();

  [[nodiscard]] RunStats stats() const;
  [[nodiscard]] const LoadedProgram& program() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dycl::runtime
