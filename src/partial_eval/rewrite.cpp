// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

#include "partial_eval/border/inputs.h"
#include "partial_eval/border/leaving.h"
#include "partial_eval/border/result_tree.h"
#include "partial_eval/builtins/builtins.h"
#include "partial_eval/explore/calls.h"
#include "partial_eval/explore/control.h"
#include "partial_eval/explore/slots.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/torch/draws.h"
#include "partial_eval/torch/ports.h"

namespace dycl::partial_eval {
namespace {

// Each attempt keeps at least one more place apart, so this many are never needed by a program of sane size.
constexpr std::size_t kAttemptLimit = 200;
// Behind what is refused, what must be kept apart is guessed.
constexpr std::size_t kAttemptsBehindObstacles = 20;

// A typo in a size, most often: such a program would raise at every call, and nobody had been told.
void refuse_if_every_path_raises(const Machine& machine) {
  if (machine.found.returns > 0 || machine.found.raises.empty() || !machine.found.obstacles.empty()) return;
  const auto line = [](const LeavingException& raised) {
    return raised.spans.empty() ? 0 : raised.spans.back().line;  // of the model, not of what it calls
  };
  const auto& [text, spans] = *std::ranges::min_element(machine.found.raises, {}, line);
  std::set<std::string> others;  // the first may be a check that the input passes, and another the reason
  for (const LeavingException& raised : machine.found.raises)
    if (raised.text != text && !raised.spans.empty())
      others.insert(fmt::format("{} ({})", raised.text, to_string(raised.spans.front())));
  const std::string more =
      others.empty() ? "" : fmt::format("; other paths raise {}", fmt::join(others, ", "));
  Diagnostic diagnostic{
      Blame::Unsupported,
      "python.always_raises",
      "the model raises on every path that the example allows: " + text,
      {},
      "call the model itself with the example, which raises too; are sizes and types of the "
      "example right?" +
          more};
  throw Refused{placed(std::move(diagnostic), spans)};
}

// What torch raises for a layer that is the whole model has no line of a program to be raised at.
Outcome call_model(Machine& machine, State& state, const nb::object& model, Arguments arguments) {
  try {
    return call(machine, state, known(model), std::move(arguments), OnReturn::Finish);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) throw;
    if (machine.torch.is_own_failure(error)) machine.refuse_failure(state, error);
    return raised_by_python(error);
  }
}

// From each state in which a call may begin.
void follow_all_paths(Machine& machine, const nb::object& model, std::vector<State> entries,
                      const Arguments& arguments) {
  std::vector<State> begun;
  for (State& entry : entries) {
    Outcome outcome = call_model(machine, entry, model, arguments);
    if (const auto* value = std::get_if<AbstractValue>(&outcome))
      finish_program(machine, entry, *value);
    else if (const auto* raised = std::get_if<Raised>(&outcome))
      raise_out_of_program(machine, entry, raised->exception);
    else
      begun.push_back(std::move(entry));
  }
  explore(machine, std::move(begun));
}

Rewritten evaluate(const nb::object& model, const nb::tuple& args, const nb::dict& kwargs, Machine& machine) {
  Rewritten rewritten;
  machine.emitter.before_raise = [&machine](State& state) {
    keep_writes_before_exception(machine, state);
    refuse_exception_after_change(machine, state);
  };
  machine.emitter.graph.name = "main";
  machine.across_calls.model = model;
  State state;
  state.block = machine.emitter.new_block();
  // A module is called by its own __call__, but its arguments are those of forward.
  const nb::object callable = machine.torch.is_module(model) ? nb::object(model.attr("forward")) : model;
  PreparedInputs inputs = prepare_inputs(machine, state, callable, args, kwargs);
  rewritten.schema = inputs.schema;
  follow_inputs(machine, state);
  if (machine.marks.writes_arguments)
    follow_containers(machine, state, inputs.containers);
  else
    for (const CallersContainer& container : inputs.containers) state.heap.protect(container.object);
  add_draws(machine);
  add_state_tensors(machine, state);
  follow_all_paths(machine, model, begin_call(machine, std::move(state)), inputs.arguments);
  refuse_if_every_path_raises(machine);
  check_state_across_calls(machine);
  settle_calls(machine);
  if (!machine.found.obstacles.empty()) return rewritten;
  settle_draws(machine);
  rewritten.schema["draws"] = described_draws(machine);
  rewritten.schema["strides_matter"] = nb::bool_(machine.inputs.layout_read);
  rewritten.schema["layout_matters"] = nb::bool_(machine.inputs.layout_used);
  rewritten.schema["offsets_matter"] = nb::bool_(machine.inputs.offset_read);
  rewritten.schema["gradients_matter"] = nb::bool_(machine.inputs.gradients_read);
  rewritten.schema["parameters_matter"] = nb::bool_(machine.inputs.parameters_read);
  rewritten.schema["attributes_matter"] = nb::bool_(machine.inputs.attributes_read);
  rewritten.schema["context_reads"] = machine.found.context_reads;
  rewritten.schema["identity_matters"] = nb::bool_(machine.marks.writes_arguments);
  rewritten.graph = std::move(machine.emitter.graph);
  rewritten.decisions = std::move(machine.found.decisions);
  rewritten.facts = std::move(machine.found.facts);
  rewritten.warnings = std::move(machine.found.warnings);
  return rewritten;
}

// Nothing comes of the attempt: the first obstacle is the reason.
Failure give_up(Machine& machine, Findings* found) {
  Diagnostic first = machine.found.obstacles.front();
  if (found != nullptr) *found = std::move(machine.found);
  return Failure(std::move(first));
}

// An operation that needs to know sizes is refused: keeps paths apart that have chosen lists of indices.
bool keeps_lists_apart(Marks& marks, const std::string& code) {
  if (code != "python.leaf_refused" || marks.apart_if_need_be.empty()) return false;
  marks.keep_apart(std::exchange(marks.apart_if_need_be, {}), "");
  return true;
}

}  // namespace

Result<Rewritten> rewrite(const nb::object& model, const nb::tuple& args, const nb::dict& kwargs,
                          const nb::object& capture, const Options& options,
                          const FragmentMaker& make_fragment, Findings* found) {
  TorchBridge torch(capture, options.draws);
  import_python::SourceLibrary sources;
  Marks marks;
  std::vector<SourceSpan> last;
  std::optional<Diagnostic> first_refusal;  // of the way that was tried before
  for (std::size_t attempt = 1; attempt <= kAttemptLimit; ++attempt) {
    Machine machine(torch, sources, options, marks, kBuiltins, make_fragment);
    try {
      Rewritten rewritten = evaluate(model, args, kwargs, machine);
      if (!machine.found.obstacles.empty()) return give_up(machine, found);
      rewritten.attempts = attempt;
      return rewritten;
    } catch (const Restart& restart) {
      marks.left_written.merge(machine.across_calls.left_written);
      if (!machine.found.obstacles.empty() && attempt >= kAttemptsBehindObstacles)
        return give_up(machine, found);
      marks.keep_apart(restart.origins, restart.needed_at);
      marks.mix(restart.mixed_lists);
      marks.read_attributes.insert(restart.attributes.begin(), restart.attributes.end());
      if (restart.cycle) marks.cycles.insert(*restart.cycle);
      last = restart.stack;
      if (!restart.calls) marks.forget_variants();  // with more known, calls may leave something else
    } catch (Refused& refused) {
      marks.left_written.merge(machine.across_calls.left_written);
      if (finds_further_slots(machine)) {
        marks.forget_variants();
        continue;
      }
      if (keeps_lists_apart(marks, refused.diagnostic.code)) {
        if (!first_refusal) first_refusal = std::move(refused.diagnostic);
        continue;
      }
      machine.found.obstacles.push_back(first_refusal ? *first_refusal : std::move(refused.diagnostic));
      return give_up(machine, found);
    }
  }
  return Failure(placed({Blame::Unsupported,
                         "python.attempts",
                         "too many variables depend on the path in ways that must be known at compile time; "
                         "this is the last of the places that need one",
                         {},
                         "keep what differs between paths in tensors"},
                        last));
}

}  // namespace dycl::partial_eval
