// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/border/leaving.h"

#include "partial_eval/border/result_tree.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// What eager would leave behind on live objects, and the next call would find.
void note_left_behind(Machine& machine, const State& state) {
  for (const auto& [key, entry] : state.overlay.entries()) {
    const auto* instance = state.heap.get<InstanceObject>(AbstractValue(entry.twin));
    if (instance == nullptr || stands_for_numpy(instance->type)) continue;  // no array from before is written
    for (const auto& [name, value] : instance->attributes)
      machine.across_calls.left_written.try_emplace({key, name}, entry.object);
    for (const std::string& name : instance->forgotten)
      machine.across_calls.left_written.try_emplace({key, name}, entry.object);
  }
}

// As Python prints it at the end of a traceback; a number that depends on the input is {}.
std::string shown_text(const std::string& type, const Departure& departure) {
  std::string text;
  for (std::size_t place = 0; place < departure.format.size(); ++place) {
    const char letter = departure.format[place];
    text += letter;
    const bool doubled = (letter == '{' || letter == '}') && place + 1 < departure.format.size() &&
                         departure.format[place + 1] == letter;
    if (doubled) ++place;
  }
  if (departure.type == "KeyError") text = "'" + text + "'";  // as its repr()
  return text.empty() ? type : type + ": " + text;
}

}  // namespace

void raise_out_of_program(Machine& machine, State& state, const AbstractValue& exception) {
  note_left_behind(machine, state);
  refuse_exception_after_write(machine, state);
  Departure departure = departure_of(machine, state, exception);
  const SourceId where = machine.source(state);
  const std::string type = departure.type.substr(0, departure.type.find('('));
  machine.found.decisions.push_back({machine.spans(state), "raise", "raises " + type});
  machine.found.raises.push_back({shown_text(type, departure), machine.raised_at(state, exception)});
  machine.emitter.finish(
      state, Raise{std::move(departure.type), std::move(departure.format), std::move(departure.scalars)},
      where);
}

void finish_program(Machine& machine, State& state, const AbstractValue& result) {
  ++machine.found.returns;
  note_left_behind(machine, state);
  const SourceId where = machine.source(state);
  Return made = return_of(machine, state, result);
  add_writes(machine, state, made);
  machine.emitter.finish(state, std::move(made), where);
}

}  // namespace dycl::partial_eval
