// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/machine/machine.h"

#include <algorithm>

namespace dycl::partial_eval {

Machine::Machine(TorchBridge& torch_bridge, import_python::SourceLibrary& library, const Options& limits,
                 Marks& kept, const Builtins& models, FragmentMaker make_fragment)
    : torch(torch_bridge),
      sources(library),
      options(limits),
      marks(kept),
      builtins(models),
      emitter(torch_bridge, std::move(make_fragment)) {}

void add_callers(Diagnostic& diagnostic, std::span<const SourceSpan> callers) {
  for (const SourceSpan& caller : callers) diagnostic.notes.push_back("called from " + to_string(caller));
}

Diagnostic placed(Diagnostic diagnostic, std::span<const SourceSpan> stack) {
  if (stack.empty()) return diagnostic;
  diagnostic.span = stack.front();
  add_callers(diagnostic, stack.subspan(1));
  return diagnostic;
}

std::vector<SourceSpan> Machine::spans(const State& state) const {
  std::vector<SourceSpan> found;
  for (auto frame = state.frames.rbegin(); frame != state.frames.rend(); ++frame) {
    const program::Function& function = (*frame)->function->ir;
    if (torch.is_prelude(function.file)) continue;  // the user sees the call of the builtin instead
    const program::Block& block = function.block((*frame)->block);
    const bool at_end = (*frame)->instruction >= block.instructions.size();
    found.push_back(
        function.span(at_end ? block.position : block.instructions[(*frame)->instruction].position));
  }
  return found;
}

std::string Machine::place_text(const State& state) const {
  const std::vector<SourceSpan> stack = spans(state);
  return stack.empty() ? std::string() : to_string(stack.front());
}

SourceId Machine::source(const State& state) {
  SourceId caller;
  const std::vector<SourceSpan> stack = spans(state);
  for (auto span = stack.rbegin(); span != stack.rend(); ++span) {
    const auto [entry, is_new] = source_ids_.try_emplace({to_string(*span), caller});
    if (is_new) entry->second = emitter.graph.add_source(*span, caller);
    caller = entry->second;
  }
  return caller;
}

void Machine::refuse(const State& state, std::string code, std::string message, std::string hint) const {
  Diagnostic diagnostic{Blame::Unsupported, std::move(code), std::move(message), {}, std::move(hint)};
  std::vector<SourceSpan> stack = spans(state);
  // A comprehension is a function that is called where it stands; a recursion calls itself from one place.
  stack.erase(std::unique(stack.begin(), stack.end()), stack.end());
  throw Refused{placed(std::move(diagnostic), stack)};
}

void Machine::refuse_failure(const State& state, const nb::python_error& error) const {
  const nb::handle exception = error.value();
  refuse(state, "python.leaf_failed",
         "DyCL failed on this: " + std::string(Py_TYPE(exception.ptr())->tp_name) + ": " +
             nb::cast<std::string>(nb::str(exception)),
         "this is a bug of DyCL's; write it in another way, and tell us");
}

void Machine::write_to_caller(const State& state) {
  if (std::exchange(marks.writes_arguments, true))
    refuse(state, "python.write_to_argument",
           "an object that an lru_cache keeps, or that was passed to the model and is neither a list, a dict "
           "nor an object with tensors, is changed",
           "change a copy of it, and return that");
  marks.writes_inputs = true;
  throw Restart{};
}

void Machine::push(State& state, Frame frame) const {
  if (state.frames.size() >= options.recursion_limit) {
    Origins origins;  // of numbers that would end the recursion if they were known
    const auto note = [&](const Frame& active) {
      for (const AbstractValue& value : active.registers)
        if (const ScalarValue* scalar = value.scalar()) origins = united(origins, scalar->origins);
    };
    note(frame);
    for (const auto& active : state.frames) note(*active);
    if (origins) throw Restart{*origins};
    refuse(state, "python.recursion_limit",
           "the call of " + frame.function->ir.qualified_name + " is nested deeper than " +
               std::to_string(options.recursion_limit) + " calls",
           "a recursion whose depth depends on the input is not supported");
  }
  state.frames.push_back(std::make_shared<Frame>(std::move(frame)));
}

AbstractValue Machine::refined(const State& state, const AbstractValue& value) const {
  const ScalarValue* scalar = value.scalar();
  if (scalar != nullptr && scalar->kind == ScalarKind::I64)
    if (const auto size = state.sizes.find(scalar->id); size != state.sizes.end() && size->second.is_known())
      return known_int(size->second.constant());
  if (scalar == nullptr || scalar->kind != ScalarKind::Bool) return value;
  const auto found = state.truths.find(scalar->id);
  return found == state.truths.end() ? value : known_bool(found->second);
}

Raised Machine::raise(nb::handle type, const std::string& message) const {
  return Raised{known(type(message))};
}

void Machine::warn(const State& state, const std::string& message) {
  const std::string place = place_text(state);
  std::string text = (place.empty() ? place : place + ": ") + message;
  for (const std::string& earlier : found.warnings)
    if (earlier == text) return;
  found.warnings.push_back(std::move(text));
}

void Machine::note_raised(const State& state, const AbstractValue& exception) {
  if (const ObjectRef* made = exception.object()) raised_made_.try_emplace(made->id, spans(state));
  const nb::object* live = exception.constant();
  if (live != nullptr && raised_live_.try_emplace(live->ptr(), spans(state)).second) raised_.push_back(*live);
}

std::vector<SourceSpan> Machine::raised_at(const State& state, const AbstractValue& exception) const {
  if (const ObjectRef* made = exception.object())
    if (const auto found = raised_made_.find(made->id); found != raised_made_.end()) return found->second;
  if (const nb::object* live = exception.constant())
    if (const auto found = raised_live_.find(live->ptr()); found != raised_live_.end()) return found->second;
  return spans(state);
}

void Machine::note_fact(const State& state, const std::string& question, const nb::object& answer) {
  Fact fact{question, nb::cast<std::string>(nb::repr(answer)), spans(state)};
  const auto same = [&](const Fact& other) {
    return other.question == fact.question && other.answer == fact.answer && other.spans == fact.spans;
  };
  if (std::ranges::none_of(found.facts, same)) found.facts.push_back(std::move(fact));
}

}  // namespace dycl::partial_eval
