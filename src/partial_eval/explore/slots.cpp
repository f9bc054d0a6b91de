// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/slots.h"

#include <algorithm>
#include <tuple>

#include "partial_eval/explore/kept.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr const char* kKeepIt =
    "set it at the beginning of forward, pass it in and return it, or keep it from call to call: compile "
    "with "
    "state=True";
constexpr const char* kHoldAndKeepIt =
    "set it at the beginning of forward, pass it in and return it, or hold it in the model and compile with "
    "state=True";
constexpr const char* kMakeAnother =
    "make a new one in forward; if the first call fills it once and for all, call the model before you "
    "compile "
    "it; or hold it in the model and compile with state=True";

[[noreturn]] void refuse_state(const std::string& what, const std::vector<SourceSpan>& place,
                               const char* hint) {
  Diagnostic diagnostic{
      Blame::Unsupported, "python.state_across_calls", what + ": the next call would see it", {}, hint};
  throw Refused{placed(std::move(diagnostic), place)};
}

std::string class_of(const LeftWritten& left) {
  return nb::cast<std::string>(nb::str(left.object.type().attr("__name__")));
}

// An attribute of a module that a function calls, and that no variable of the function leads to.
bool is_held_in_module(const Machine& machine, const AttributeKey& key, const LeftWritten& left) {
  return machine.torch.is_module(left.object) && !key.second.starts_with('<');
}

// What a live object holds under a name, as the model reaches it: self.cache['r']; nullopt: it does not.
std::optional<std::string> path_in_model(const Machine& machine, const AttributeKey& key,
                                         const LeftWritten& left) {
  const nb::object& model = machine.across_calls.model;
  const auto path = machine.torch.path_of(model, left.object);
  if (!path && !is_held_in_module(machine, key, left)) return std::nullopt;
  if (!path) return class_of(left) + "." + key.second;
  const std::string name = key.second.starts_with('<') ? "" : "." + key.second;
  const std::string found = *path + name + left.part;
  return found.starts_with('.') ? found.substr(1) : found;
}

std::string shown_slot(const Machine& machine, const AttributeKey& key, const LeftWritten& left) {
  if (const auto path = path_in_model(machine, key, left)) return shown_path(machine, *path);
  if (key.second == kHeld) return described(left.object) + " that exists before the call";
  if (key.second == kCellContents) return "a variable of an enclosing function";
  return "the attribute " + key.second + " of " + class_of(left);
}

std::string what_is_read(const std::string& name, const std::string& owner) {
  if (owner == "ContextVar") return "a context variable is";
  return (name == kAllAttributes ? "all attributes of " : "the layers, parameters or buffers of ") + owner +
         " are";
}

// One call writes it, and another reads it: it would be frozen as it is now. What the model does not reach
// cannot be kept, since other code may change it.
StateSlot slot_to_keep(const Machine& machine, const AttributeKey& key, const LeftWritten& left,
                       const std::vector<SourceSpan>& place) {
  const auto path = path_in_model(machine, key, {left.object, {}, {}});
  if (path && machine.options.state) return StateSlot{left.object, key.second, *path};
  const bool is_container = key.second == kHeld;
  refuse_state(shown_slot(machine, key, left) +
                   (is_container ? " is changed here" : " is read here and written by the same call"),
               place,
               path           ? kKeepIt
               : is_container ? kMakeAnother
                              : kHoldAndKeepIt);
}

void warn_of_lost_write(Machine& machine, const std::string& name, const std::string& owner) {
  machine.found.warnings.push_back(name == kCellContents || owner == "ContextVar"
                                       ? "eager sets a variable of an enclosing function or a context "
                                         "variable; the compiled program leaves "
                                         "it as it is"
                                       : "eager sets the attribute " + name + " of " + owner +
                                             "; the compiled program leaves the model as it is");
}

bool is_kept(const Machine& machine, const AttributeKey& key) {
  return std::ranges::any_of(machine.marks.state_slots, [&](const StateSlot& slot) {
    return slot.owner.ptr() == key.first && slot.name == key.second;
  });
}

bool is_place(const std::string& name) {
  return !name.starts_with('<') || name == kHeld || name == kCellContents;
}

// What one call writes and another reads, with the place that shows it.
struct SeenAgain {
  AttributeKey key;
  LeftWritten left;
  std::vector<SourceSpan> place;
};

// In the order of the source.
std::vector<SeenAgain> seen_again(const Machine& machine,
                                  const std::map<AttributeKey, LeftWritten>& written) {
  std::vector<SeenAgain> seen;
  for (const auto& [key, left] : written) {
    if (is_kept(machine, key)) continue;
    const auto read = machine.across_calls.live_reads.find(key);
    if (key.second == kHeld)
      seen.push_back({key, left, left.place});
    else if (read != machine.across_calls.live_reads.end())
      seen.push_back({key, left, read->second});
  }
  std::ranges::sort(seen, {}, [](const SeenAgain& each) {
    const SourceSpan at = each.place.empty() ? SourceSpan() : each.place.front();
    return std::tuple(at.file, at.line, at.column, each.key.second);
  });
  return seen;
}

std::vector<StateSlot> slots_in(const Machine& machine, const std::map<AttributeKey, LeftWritten>& written) {
  std::vector<StateSlot> found;
  for (const SeenAgain& each : seen_again(machine, written)) {
    if (!is_place(each.key.second))
      refuse_state(
          what_is_read(each.key.second, class_of(each.left)) + " read here and written by the same call",
          each.place, kKeepIt);
    found.push_back(slot_to_keep(machine, each.key, each.left, each.place));
  }
  return found;
}

void add_slots(Machine& machine, std::vector<StateSlot> found) {
  std::ranges::sort(found, {}, &StateSlot::shown);
  for (StateSlot& slot : found) {
    machine.marks.read_attributes.insert(slot.name);
    machine.marks.state_slots.push_back(std::move(slot));
  }
}

}  // namespace

void check_state_across_calls(Machine& machine) {
  const auto& written = machine.across_calls.left_written;
  if (std::vector<StateSlot> found = slots_in(machine, written); !found.empty()) {
    add_slots(machine, std::move(found));
    throw Restart{};
  }
  for (const auto& [key, left] : written)
    if (!is_kept(machine, key) && (is_place(key.second) || class_of(left) == "ContextVar"))
      warn_of_lost_write(machine, key.second, class_of(left));
}

bool finds_further_slots(Machine& machine) {
  if (!machine.options.state) return false;
  try {
    std::vector<StateSlot> found = slots_in(machine, machine.marks.left_written);
    if (found.empty()) return false;
    add_slots(machine, std::move(found));
    return true;
  } catch (const Refused&) {
    return false;
  }
}

}  // namespace dycl::partial_eval
