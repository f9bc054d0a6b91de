// SPDX-License-Identifier: Apache-2.0
// What one thread needs to run a loaded program: slots, buffers and backend calls.
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

// Counts what all runs of a session did.
struct RunStats {
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t subnet_calls = 0;
  std::uint64_t host_ops = 0;
  std::uint64_t pool_bytes = 0;       // memory that the session's pool holds or has lent out
  std::uint64_t backend_outputs = 0;  // outputs in the backend's memory: their shape was not known before
};

// One thread at a time uses a session; if two do so at once, one gets an error. Values that it returned may
// outlive it, and any thread may drop them: their memory returns to the session's pool.
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

  // Does the same, but reuses the vector. With static shapes, from the second run on, neither this call nor
  // dropping the former outputs allocates memory.
  Status run(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs);

  // Records each sub-DNN call and host operation of later runs; nullptr switches it off.
  void set_trace(TraceRecorder* recorder);

  // Appends what later runs decide; nullptr switches it off.
  void set_decisions(DecisionTrace* decisions);

  // Returns the instruction that the last run ended with, whose tree gives the structure of the outputs, or
  // null after a failure. It belongs to the program.
  [[nodiscard]] const PlanReturn* last_return() const;

  // Returns the inputs to which the last run gave new contents, which are the last outputs, one for each;
  // after model.raised they are the only ones.
  [[nodiscard]] std::span<const std::uint32_t> written_inputs() const;

  // Sets the states back to what they were when the session began.
  Status reset();

  [[nodiscard]] RunStats stats() const;
  [[nodiscard]] const LoadedProgram& program() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dycl::runtime
