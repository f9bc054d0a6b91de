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

// A tensor of the model that is state: calls write to it in place.
struct MarkedTensor {
  nb::object tensor;
  std::vector<SourceSpan> written;  // where
  bool shares_memory = false;       // with another state, after some call

  bool operator==(const MarkedTensor& other) const {
    return tensor.is(other.tensor) && shares_memory == other.shares_memory;
  }
};

// An attribute of a module that is state, and what is known of the tensors that calls leave in it.
struct MarkedAttribute {
  std::pair<PyObject*, std::string> key;
  nb::object owner;
  std::vector<SourceSpan> read;  // where
  bool shares_memory = false;    // with another state
  bool is_not_ours = false;      // it may be a tensor of the model's or of a caller's, which is not written to
  bool lies_freely = false;      // its strides may be others than at first

  bool operator==(const MarkedAttribute& other) const {
    return key == other.key && shares_memory == other.shares_memory && is_not_ours == other.is_not_ours &&
           lies_freely == other.lies_freely;
  }
};

// Places where meeting states may not give up static values, because something needs them. Survives
// restarts; a place is a program point and the variable or attribute, without iteration numbers.
class Marks {
 public:
  OriginId origin(const std::string& place, bool of_cycle = false);
  void keep_apart(const std::set<OriginId>& origins, const std::string& needed_at);
  // Given up at the header of a cycle: kept apart, it would make the cycle impossible.
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
  std::vector<MarkedTensor> state_tensors;
  std::vector<MarkedAttribute> state_attributes;

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
