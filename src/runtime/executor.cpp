// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "runtime/bind_inputs.h"
#include "runtime/host_ops.h"
#include "runtime/trace.h"

namespace dycl::runtime {
namespace {

Failure bad_plan(std::string_view what) {
  return fail(Blame::Package, "run.bad_plan", fmt::format("the host plan is damaged: {}", what));
}

bool is_ours(const RuntimeTensor& tensor) {
  return tensor.buffer && tensor.buffer->origin != BufferOrigin::Foreign;
}

bool is_ours(const RuntimeValue& value) {
  if (const RuntimeTensor* tensor = value.tensor()) return is_ours(*tensor);
  if (value.items() == nullptr) return true;
  return std::ranges::all_of(*value.items(), [](const RuntimeValue& item) { return is_ours(item); });
}

void copy_tensor(RuntimeTensor& tensor, BufferPool& pool) {
  BufferRef copy = pool.take(tensor.byte_size);
  if (tensor.byte_size > 0) std::memcpy(copy->data, tensor.data, tensor.byte_size);
  tensor.data = copy->data;
  tensor.buffer = std::move(copy);
}

// A result must not alias an input or a weight: callers may write to it, and inputs may go away.
void make_ours(RuntimeValue& value, BufferPool& pool) {
  if (is_ours(value)) return;
  if (auto* tensor = std::get_if<RuntimeTensor>(&value)) {
    copy_tensor(*tensor, pool);
    return;
  }
  SequenceRef copy = pool.take_sequence();
  copy->items = *value.items();
  for (RuntimeValue& item : copy->items) make_ours(item, pool);
  value = std::move(copy);
}

bool lies_in(const RuntimeValue& value, const Buffer* buffer) {
  if (const RuntimeTensor* tensor = value.tensor()) return tensor->buffer.get() == buffer;
  if (value.items() == nullptr) return false;
  return std::ranges::any_of(*value.items(), [&](const RuntimeValue& item) { return lies_in(item, buffer); });
}

// What is kept and a result must not share memory: the caller may write to the result.
void part_from(RuntimeValue& kept, std::span<const RuntimeValue> results, BufferPool& pool) {
  const auto is_returned = [&](const RuntimeTensor& tensor) {
    return std::ranges::any_of(
        results, [&](const RuntimeValue& result) { return lies_in(result, tensor.buffer.get()); });
  };
  if (auto* tensor = std::get_if<RuntimeTensor>(&kept)) {
    if (tensor->buffer && is_returned(*tensor)) copy_tensor(*tensor, pool);
    return;
  }
  if (kept.items() == nullptr) return;
  const bool shares = std::ranges::any_of(*kept.items(), [&](const RuntimeValue& item) {
    return item.tensor() != nullptr && item.tensor()->buffer && is_returned(*item.tensor());
  });
  if (!shares) return;
  SequenceRef copy = pool.take_sequence();
  copy->items = *kept.items();
  for (RuntimeValue& item : copy->items) part_from(item, results, pool);
  kept = std::move(copy);
}

}  // namespace

Executor::Executor(std::shared_ptr<const LoadedProgram> program)
    : program_(std::move(program)),
      plan_(program_->flat_plan()),
      pool_(BufferPool::create()),
      slots_(plan_.shapes.size()),
      symbols_(program_->artifact().plan.symbols.size(), -1),
      left_(program_->inputs().size()),
      move_scratch_(plan_.most_moves),
      calls_(program_->executables().size()),
      call_inputs_(plan_.most_call_inputs),
      call_outputs_(plan_.most_call_outputs),
      offers_(plan_.most_call_outputs) {
  for (const FlatConstant& constant : plan_.constants) slots_[constant.slot] = constant.tensor;
  reset_states();
}

void Executor::reset_states() { states_ = plan_.initial_states; }

// Sizes of states give symbols their values, as those of inputs do.
void Executor::bind_states() {
  for (std::size_t index = 0; index < states_.size(); ++index) {
    const PlanPort& port = program_->states()[index];
    slots_[port.slot] = states_[index];
    const TensorType* type = port.type.tensor();
    const RuntimeTensor* tensor = states_[index].tensor();
    if (type == nullptr || tensor == nullptr || !type->dims) continue;
    for (std::size_t axis = 0; axis < tensor->dims.size(); ++axis)
      if (const auto symbol = (*type->dims)[axis].as_symbol()) symbols_[symbol->index()] = tensor->dims[axis];
  }
}

// The last outputs are new contents of inputs, of states at the very end: those stay here.
void Executor::keep_states(std::vector<RuntimeValue>& outputs) {
  const std::size_t given = program_->inputs().size();
  const std::vector<std::uint32_t>& writes = last_return_->writes;
  const auto first_state = std::ranges::lower_bound(writes, given);
  written_.assign(writes.begin(), first_state);
  const auto first = outputs.end() - (writes.end() - first_state);
  for (auto write = first_state; write != writes.end(); ++write) {
    RuntimeValue& value = *(first + (write - first_state));
    part_from(value, {outputs.begin(), first}, *pool_);
    states_[*write - given] = std::move(value);
  }
  outputs.erase(first, outputs.end());
}

// Eager writes to its inputs at once: they keep what was written before it raised.
void Executor::give_what_is_left(std::vector<RuntimeValue>& outputs) {
  for (std::uint32_t input = 0; input < left_.size(); ++input) {
    if (!left_[input].has_value()) continue;
    written_.push_back(input);
    outputs.push_back(std::exchange(left_[input], NoValue{}));
    make_ours(outputs.back(), *pool_);
  }
}

void Executor::set_trace(TraceRecorder* recorder) {
  recorder_ = recorder;
  if (recorder_ != nullptr) recorder_->attach(*program_);
}

RunStats Executor::stats() const {
  RunStats stats = stats_;
  stats.pool_bytes = pool_->bytes();
  return stats;
}

Status Executor::run(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs) {
  const auto start = recorder_ == nullptr ? TraceRecorder::Clock::time_point() : TraceRecorder::Clock::now();
  steps_ = 0;
  last_return_ = nullptr;
  written_.clear();
  Status done;
  try {
    done = bind_inputs(*program_, inputs, slots_, symbols_);
    outputs.clear();  // after binding: the inputs may be the former outputs
    if (done) bind_states();
    if (done) done = execute(outputs);
    if (done) keep_states(outputs);
  } catch (const std::bad_alloc&) {
    done = fail(Blame::Usage, "run.out_of_memory", "the run needs more memory than there is");
  } catch (const std::length_error&) {
    done = fail(Blame::Usage, "run.out_of_memory", "the run needs more memory than there is");
  }
  if (!done) outputs.clear();
  if (!done && done.error().blame == Blame::Model) give_what_is_left(outputs);
  clear_slots();
  ++stats_.runs;
  stats_.instructions += steps_;
  if (recorder_ != nullptr) recorder_->record(TraceKind::Run, 0, start, TraceRecorder::Clock::now());
  return done;
}

Status Executor::execute(std::vector<RuntimeValue>& outputs) {
  std::uint32_t at = 0;
  asked_ = Clock::now();
  std::uint64_t pause = next_pause();
  for (;;) {
    const FlatInstruction& code = plan_.code[at];
    if (++steps_ >= pause) {
      if (Status going = may_go_on(at); !going) return going;
      pause = next_pause();
    }
    const FlatEdge* edge = nullptr;
    switch (code.kind) {
      case FlatKind::Call:
        if (Status done = call_subnet(code, at); !done) return done;
        ++at;
        continue;
      case FlatKind::Host:
        if (Status done = host_op(code, at); !done) return done;
        ++at;
        continue;
      case FlatKind::Return:
        give_results(code, outputs);
        last_return_ = std::get_if<PlanReturn>(&instruction(at).operation);
        return {};
      case FlatKind::Raise: return raise(code, at);
      case FlatKind::Jump: edge = &plan_.edges[code.edges.begin]; break;
      case FlatKind::Branch: edge = edge_of_branch(code); break;
      case FlatKind::Switch: edge = edge_of_switch(code); break;
    }
    if (edge == nullptr) return bad_plan("a condition holds no scalar of its kind");
    if (decisions_ != nullptr) note_edge(at, *edge);
    at = follow(*edge);
  }
}

Status Executor::host_op(const FlatInstruction& code, std::uint32_t at) {
  ++stats_.host_ops;
  const auto start = recorder_ == nullptr ? TraceRecorder::Clock::time_point() : TraceRecorder::Clock::now();
  const HostFrame frame{plan_, slots_, symbols_, *pool_};
  const HostCall call(frame, code);
  Status done;
  if (code.op == HostOp::Write)
    left_[written_input(*call.attributes().plan)] = call.operand(0);
  else
    done = run_host_op(call);
  if (recorder_ != nullptr) recorder_->record(TraceKind::HostOp, at, start, TraceRecorder::Clock::now());
  if (!done) {
    locate_at(done.error(), at);
    return done;
  }
  if (decisions_ != nullptr && code.op == HostOp::Item) note_read(code, at);
  release(code.dead);
  return {};
}

void Executor::note_read(const FlatInstruction& code, std::uint32_t at) {
  const FlatAttributes& attributes = plan_.attributes[code.subject];
  if (!attributes.plan->attributes.contains("decision")) return;
  if (const Scalar* scalar = slots_[plan_.slots[code.outputs.begin]].scalar())
    decisions_->reads.push_back({at, *scalar});
}

void Executor::note_edge(std::uint32_t at, const FlatEdge& edge) {
  const std::vector<PlanBlock>& blocks = program_->artifact().plan.blocks;
  const auto number_of = [&](std::uint32_t place) {
    const auto next = std::ranges::upper_bound(blocks, place, {}, &PlanBlock::start);
    return next == blocks.begin() ? 0 : std::prev(next)->number;
  };
  const auto index = static_cast<std::uint32_t>(&edge - &plan_.edges[plan_.code[at].edges.begin]);
  if (!blocks.empty()) ++decisions_->edges[{number_of(at), number_of(edge.target), index}];
}

void Executor::locate_at(Diagnostic& diagnostic, std::uint32_t at) const {
  const PlanInstruction& where = instruction(at);
  if (diagnostic.span.known() || !where.source.known()) return;
  std::vector<SourceSpan> stack{where.source};
  stack.insert(stack.end(), where.callers.begin(), where.callers.end());
  locate(diagnostic, stack);
}

const FlatEdge* Executor::edge_of_branch(const FlatInstruction& code) const {
  const Scalar* scalar = slots_[code.subject].scalar();
  const bool* condition = scalar == nullptr ? nullptr : std::get_if<bool>(scalar);
  if (condition == nullptr) return nullptr;
  return &plan_.edges[code.edges.begin + (*condition ? 0 : 1)];
}

const FlatEdge* Executor::edge_of_switch(const FlatInstruction& code) const {
  const Scalar* scalar = slots_[code.subject].scalar();
  const std::int64_t* index = scalar == nullptr ? nullptr : std::get_if<std::int64_t>(scalar);
  if (index == nullptr) return nullptr;
  const std::uint32_t fallback = code.edges.count - 1;
  const bool is_case = *index >= 0 && *index < static_cast<std::int64_t>(fallback);
  return &plan_.edges[code.edges.begin + (is_case ? static_cast<std::uint32_t>(*index) : fallback)];
}

std::uint32_t Executor::follow(const FlatEdge& edge) {
  const auto moves = part(plan_.moves, edge.moves);
  const auto read = [this](const FlatMove& move) -> RuntimeValue {
    if (move.take) return std::exchange(slots_[move.from], NoValue{});
    return slots_[move.from];
  };
  if (edge.through_scratch) {
    for (std::size_t index = 0; index < moves.size(); ++index) move_scratch_[index] = read(moves[index]);
    for (std::size_t index = 0; index < moves.size(); ++index)
      slots_[moves[index].to] = std::exchange(move_scratch_[index], NoValue{});
  } else {
    for (const FlatMove& move : moves) slots_[move.to] = read(move);
  }
  release(edge.dead);
  if (edge.backward) last_loop_ = edge.target;
  return edge.target;
}

void Executor::release(Range dead) {
  for (const SlotIndex slot : part(plan_.slots, dead)) slots_[slot].emplace<NoValue>();
}

void Executor::give_results(const FlatInstruction& code, std::vector<RuntimeValue>& outputs) {
  for (const FlatOperand& operand : part(plan_.operands, code.inputs)) {
    RuntimeValue& slot = slots_[operand.slot];
    outputs.push_back(operand.take ? std::exchange(slot, NoValue{}) : slot);
    make_ours(outputs.back(), *pool_);
  }
}

void Executor::clear_slots() {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].has_value() && !plan_.is_constant[slot]) slots_[slot].emplace<NoValue>();
  for (RuntimeValue& contents : left_) contents.emplace<NoValue>();
}

Failure Executor::raise(const FlatInstruction& code, std::uint32_t at) const {
  const auto& raise = std::get<PlanRaise>(instruction(at).operation);
  std::vector<Scalar> scalars;
  for (const FlatOperand& operand : part(plan_.operands, code.inputs)) {
    const Scalar* scalar = slots_[operand.slot].scalar();
    if (scalar == nullptr) return bad_plan("a raise names a slot that holds no scalar");
    scalars.push_back(*scalar);
  }
  const std::span all(scalars);
  const std::size_t shown = shown_count(raise.format, all.size(), raise.attributes);
  auto message = format_message(raise.format, all.first(shown));
  if (!message) return failure_of(std::move(message));
  Failure failure = raised(raise.type, std::move(*message));
  failure.value().exception_attributes = raise.attributes;
  for (const Scalar& scalar : all.subspan(shown))
    failure.value().exception_values.push_back(
        std::visit([](auto value) { return ResultConstant(value); }, scalar));
  locate_at(failure.value(), at);
  return failure;
}

std::uint64_t Executor::next_pause() const {
  constexpr std::uint64_t kStepsBetween = 64;  // a look at the clock costs nothing then
  const std::uint64_t limit = program_->options().step_limit;
  return limit == 0 ? steps_ + kStepsBetween : std::min(steps_ + kStepsBetween, limit + 1);
}

Status Executor::may_go_on(std::uint32_t at) {
  constexpr auto kBetweenQuestions = std::chrono::milliseconds(200);
  const LoadOptions& options = program_->options();
  if (options.step_limit != 0 && steps_ > options.step_limit) return step_limit_reached(at);
  if (!options.interrupted || Clock::now() - asked_ < kBetweenQuestions) return {};
  asked_ = Clock::now();
  if (options.interrupted()) return fail(Blame::Usage, "run.interrupted", "the run was interrupted");
  return {};
}

Failure Executor::step_limit_reached(std::uint32_t at) const {
  SourceSpan loop;
  for (std::uint32_t index = last_loop_; index <= at && !loop.known(); ++index)
    loop = instruction(index).source;
  return fail(Blame::Usage, "run.step_limit",
              fmt::format("the program did not end within {} steps; it is still in {}",
                          program_->options().step_limit, loop.known() ? "this loop" : "a loop"),
              loop, "if the loop is meant to run that long, raise the step limit");
}

}  // namespace dycl::runtime
