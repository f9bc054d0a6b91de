// SPDX-License-Identifier: Apache-2.0
// What one evaluation of the program found and the next must know.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

using AttributeKey = std::pair<PyObject*, std::string>;

// A line of the user's that draws random numbers, and what it draws: so many tensors of one type in a row.
struct DrawKey {
  std::string file;  // empty: no line of the user's calls it
  std::uint32_t line = 0;
  std::string kind;  // "uniform", "normal" or "exponential"
  std::string dtype;
  protocol::Sizes shape;

  bool operator==(const DrawKey&) const = default;
};

// How many rows the graph's input of a line has.
struct DrawRows {
  DrawKey key;
  std::uint32_t most = 0;  // on any path; of a place in a cycle: the bound
  bool in_cycle = false;

  bool operator==(const DrawRows&) const = default;
};

// What the program leaves in a live object; of a container, the part that differs from before: "['r']".
struct LeftWritten {
  nb::object object;
  std::string part;
  std::vector<SourceSpan> place;  // where a container is written first
};

// A part of a live object that a session keeps from call to call.
struct StateSlot {
  nb::object owner;
  std::string name;   // of the attribute; kHeld, kCellContents: all that a container or variable holds
  std::string shown;  // "cache['r']"
};

// Places where meeting states may not give up static values, because something needs them. Survives
// restarts; a place is a program point and the variable or attribute, without iteration numbers.
class Marks {
 public:
  OriginId origin(const std::string& place, bool of_cycle = false);
  void keep_apart(const std::set<OriginId>& origins, const std::string& needed_at);
  // Says whether a value was given up at the header of a cycle, which would be impossible if the paths were
  // kept apart there.
  [[nodiscard]] bool from_cycle(const Origins& origins) const;
  [[nodiscard]] bool kept_apart(const std::string& place) const { return apart_.contains(place); }
  // Lists that meet here hold constants of several types, sooner or later.
  void mix(const std::set<OriginId>& origins);
  [[nodiscard]] bool mixed(const std::string& place) const { return mixed_.contains(place); }
  [[nodiscard]] bool all_mixed(const std::set<OriginId>& origins) const;

  [[nodiscard]] std::string needed_at(const std::string& place) const;

  // Attributes that some code reads after it was written on some paths only.
  std::set<std::string> read_attributes;

  // Some input is written; what of the model is written and kept for the next call.
  bool writes_inputs = false;
  bool writes_arguments = false;  // a list, dict or object among them
  std::vector<nb::object> state_tensors;
  std::vector<StateSlot> state_slots;
  // What the slots may hold when a call begins: the first is what the model holds, generalised to all that
  // calls leave and that fits it. Each is a state without frames; its values have no meaning but their kinds.
  std::vector<State> variants;
  bool variants_apart = false;      // something must know with which of them its path has begun
  std::size_t rounds_of_calls = 0;  // evaluations that found more of them
  void forget_variants() {
    variants.clear();
    rounds_of_calls = 0;
  }
  std::map<AttributeKey, LeftWritten> left_written;  // by any evaluation

  // The lines that draw, as the last evaluation that came to an end found them.
  std::vector<DrawRows> draws;

  // The places that make tensors which the program shares and then writes to: they are objects of the heap at
  // once.
  std::set<std::string> makers;

  // Meetings of paths that could be kept apart, so that less depends on the input.
  std::set<OriginId> apart_if_need_be;

  // Loops that become cycles, and those that cannot: with the variable that must be known in each trip.
  std::set<LoopPlace> cycles;
  std::map<LoopPlace, std::string> unrolled;

 private:
  std::vector<std::string> places_;
  std::map<std::string, OriginId> known_;
  std::map<std::string, std::string> apart_;  // and where it is needed
  std::set<std::string> mixed_;
  std::set<OriginId> of_cycles_;
};

}  // namespace dycl::partial_eval
