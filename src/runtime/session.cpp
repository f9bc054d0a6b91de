// SPDX-License-Identifier: Apache-2.0
#include "runtime/session.h"

#include <atomic>

#include "runtime/executor.h"

namespace dycl::runtime {

namespace {

// Clears the flag however the run ends.
struct Released {
  std::atomic_flag& busy;
  ~Released() { busy.clear(std::memory_order_release); }
};

Failure busy() {
  return fail(Blame::Usage, "run.session_busy", "this session is running in another thread", {},
              "give each thread a session of its own; they share the program");
}

}  // namespace

class RunSession::State {
 public:
  explicit State(std::shared_ptr<const LoadedProgram> program) : executor(std::move(program)) {}

  Executor executor;
  std::atomic_flag busy;
};

RunSession::RunSession(std::shared_ptr<const LoadedProgram> program)
    : state_(std::make_unique<State>(std::move(program))) {}
RunSession::RunSession(RunSession&&) noexcept = default;
RunSession& RunSession::operator=(RunSession&&) noexcept = default;
RunSession::~RunSession() = default;

Result<std::vector<RuntimeValue>> RunSession::run(std::span<const RuntimeValue> inputs) {
  std::vector<RuntimeValue> outputs;
  if (Status done = run(inputs, outputs); !done) return failure_of(std::move(done));
  return outputs;
}

Status RunSession::run(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs) {
  if (state_->busy.test_and_set(std::memory_order_acquire)) return busy();
  const Released release{state_->busy};
  return state_->executor.run(inputs, outputs);
}

Status RunSession::reset() {
  if (state_->busy.test_and_set(std::memory_order_acquire)) return busy();
  const Released release{state_->busy};
  state_->executor.reset_states();
  return {};
}

void RunSession::set_trace(TraceRecorder* recorder) { state_->executor.set_trace(recorder); }
void RunSession::set_decisions(DecisionTrace* decisions) { state_->executor.set_decisions(decisions); }
const PlanReturn* RunSession::last_return() const { return state_->executor.last_return(); }
std::span<const std::uint32_t> RunSession::written_inputs() const {
  return state_->executor.written_inputs();
}
RunStats RunSession::stats() const { return state_->executor.stats(); }
const LoadedProgram& RunSession::program() const { return state_->executor.program(); }

}  // namespace dycl::runtime
