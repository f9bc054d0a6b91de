// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/border/leaving.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/border/result_tree.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_sets.h"
#include "partial_eval/values/same_static.h"

namespace dycl::partial_eval {
namespace {

// What a name or place of a live object holds is, after the call, what it was before: the next call finds no
// difference.
bool is_same_as_before(const State& state, const nb::object& before, const AbstractValue& value) {
  if (!before.is_valid()) return false;
  if (const nb::object* now = value.constant()) return same_static(*now, before);
  const ObjectRef* twin = state.overlay.find(before);
  return twin != nullptr && value.object() != nullptr && twin->id == value.object()->id;
}

bool is_cell_as_before(const State& state, const nb::object& cell, const AbstractValue& content) {
  return is_same_as_before(state, nb::steal(PyCell_Get(cell.ptr())), content);
}

// The first part of a list that is not as it was; nullopt: all of it is.
std::optional<std::string> changed_item(const State& state, const std::vector<AbstractValue>& before,
                                        const std::vector<AbstractValue>& now) {
  for (std::size_t place = 0; place < std::min(before.size(), now.size()); ++place)
    if (!is_same_as_before(state, *before[place].constant(), now[place])) return fmt::format("[{}]", place);
  return before.size() == now.size() ? std::nullopt : std::optional<std::string>("");
}

std::string shown_key(nb::handle key) {
  return is_atom(key) ? fmt::format("[{}]", nb::cast<std::string>(nb::repr(key))) : "";
}

std::optional<std::string> changed_entry(const State& state, const nb::object& live, const DictObject& now) {
  std::size_t place = 0;
  for (const auto& [key, before] : nb::borrow<nb::dict>(live)) {
    if (place == now.entries.size() || !same_key(now.entries[place].first, nb::borrow(key)))
      return place == now.entries.size() ? "" : shown_key(now.entries[place].first);
    if (!is_same_as_before(state, nb::borrow(before), now.entries[place].second)) return shown_key(key);
    ++place;
  }
  return place == now.entries.size() ? std::nullopt : std::optional(shown_key(now.entries[place].first));
}

bool is_same_set(const nb::object& live, const SetObject& now) {
  return !now.order && !now.is_unordered && same_elements(live, now.contents) &&
         lie_alike(live, now.contents);
}

// The part of a live container that differs from before, "" for all of it; nullopt: none does.
std::optional<std::string> changed_part(const State& state, const nb::object& live, const Object& now) {
  if (const auto* list = std::get_if<ListObject>(&now))
    return changed_item(state, live_elements(live), list->items);
  if (const auto* dict = std::get_if<DictObject>(&now)) return changed_entry(state, live, *dict);
  if (const auto* set = std::get_if<SetObject>(&now))
    return is_same_set(live, *set) ? std::nullopt : std::optional<std::string>("");
  if (const auto* deque = std::get_if<InstanceObject>(&now))
    if (const auto* items = state.heap.get<ListObject>(deque->attributes.at("<items>")))
      return changed_item(state, live_elements(live), items->items);
  return "";
}

// What eager would leave behind on live objects, and the next call would find.
void note_left_behind(Machine& machine, const State& state) {
  AcrossCalls& calls = machine.across_calls;
  const auto written = [&](const AttributeKey& key, const nb::object& object) {
    calls.left_written.try_emplace(key, LeftWritten{object, {}, {}});
  };
  for (const auto& [object, twin] : state.overlay.entries()) {
    if (machine.ownership.created.contains(object) || machine.ownership.made_layers.contains(object))
      continue;
    if (is_live_container(object) && !is_array(object)) {
      if (const auto part = changed_part(state, object, state.heap.at(twin)))
        calls.left_written.try_emplace({object.ptr(), kHeld},
                                       LeftWritten{object, *part, calls.first_writes[object.ptr()]});
      continue;
    }
    if (const auto* cell = state.heap.get<CellObject>(AbstractValue(twin));
        cell != nullptr && !is_cell_as_before(state, object, cell->content))
      written({object.ptr(), kCellContents}, object);
    const auto* instance = state.heap.get<InstanceObject>(AbstractValue(twin));
    if (instance == nullptr || stands_for_numpy(instance->type)) continue;  // no array from before is written
    for (const auto& [name, value] : instance->attributes) {
      if (!is_same_as_before(state, held_attribute(machine, object, name), value))
        written({object.ptr(), name}, object);
      written({object.ptr(), kAllAttributes}, object);
      for (const char* table : tables_of_written(machine, state, object, name, value))
        written({object.ptr(), key_of_table(table)}, object);
    }
    for (const std::string& name : instance->forgotten) {
      written({object.ptr(), name}, object);
      written({object.ptr(), kAllAttributes}, object);
    }
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
  keep_writes_before_exception(machine, state);
  refuse_exception_after_change(machine, state);
  Departure departure = departure_of(machine, state, exception);
  add_attributes(machine, state, exception, departure);
  const SourceId where = machine.source(state);
  const std::string type = departure.type.substr(0, departure.type.find('('));
  machine.found.decisions.push_back({machine.spans(state), "raise", "raises " + type});
  machine.found.raises.push_back({shown_text(type, departure), machine.raised_at(state, exception)});
  machine.emitter.finish(state,
                         Raise{std::move(departure.type), std::move(departure.format),
                               std::move(departure.scalars), std::move(departure.attributes)},
                         where);
}

void finish_program(Machine& machine, State& state, const AbstractValue& result) {
  ++machine.found.returns;
  note_left_behind(machine, state);
  state.heap.for_each([&](ObjectRef, const Object& object) {
    if (const auto* generator = std::get_if<GeneratorObject>(&object))
      refuse_abandoned(machine, state, *generator);
  });
  const SourceId where = machine.source(state);
  Return made = return_of(machine, state, result);
  add_writes(machine, state, made);
  machine.emitter.finish(state, std::move(made), where);
}

}  // namespace dycl::partial_eval
