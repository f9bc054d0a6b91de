// SPDX-License-Identifier: Apache-2.0
// The arguments of one call that CPython runs while compiling. A listed function gets copies of what it could
// change, and is watched all the same: a wrong entry of the list damages nothing, and is found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "partial_eval/machine/machine.h"
#include "partial_eval/static_calls/listing.h"

namespace dycl::partial_eval {

// This is thrown where a function may not have an argument. `what` completes "… would be given …".
struct Withheld {
  std::string what;
};

class HandedOver {
 public:
  HandedOver(Machine& machine, State& state, Takes takes) : machine_(machine), state_(state), takes_(takes) {}

  // The value as the function gets it. Throws Withheld.
  nb::object take(const AbstractValue& value);
  // An array that the function is to write to: a copy that nobody watches.
  nb::object take_written(const AbstractValue& array);
  // What the function has changed though the list says that it changes nothing ("a list"), after giving
  // tensors their old elements back; nullopt: nothing.
  std::optional<std::string> changed();
  // The result: what is an argument, or a part of one, is that object; other containers are new.
  AbstractValue given_back(const nb::object& result);

  // A tensor of the result lies in the memory of an array: neither may be written to from now on.
  bool note_tensor_of_array(const nb::object& tensor);

  // The function tried to write to a large array, which numpy kept it from.
  [[nodiscard]] bool is_refused_write(const nb::python_error& error) const;

  [[nodiscard]] bool has_tensors() const { return !tensors_.empty(); }

  // What the function gives does not depend on the order of a set.
  bool ignores_order = false;

 private:
  struct Copy {
    nb::object copy;
    std::vector<nb::object> contents;  // as they were: elements, or the bytes of an array
  };
  struct WatchedTensor {
    nb::object tensor;
    nb::object version;   // none: it counts no writes
    nb::object elements;  // a copy of a small one, else none
  };

  using Key = std::pair<PyObject*, HeapId>;
  static Key key_of(const AbstractValue& value);

  nb::object take_live(const AbstractValue& value, const nb::object& live);
  nb::object take_object(const AbstractValue& value);
  nb::object take_items(const AbstractValue& value, const std::vector<AbstractValue>& items, nb::handle type);
  nb::object take_dict(const AbstractValue& value);
  nb::object take_set(const AbstractValue& value, nb::handle type);
  nb::object take_array(const AbstractValue& value, const nb::object& array);
  nb::object take_tensor(const nb::object& tensor);
  nb::object take_opaque(const nb::object& live);
  nb::object noted(const AbstractValue& value, nb::object copy, std::vector<nb::object> contents);
  void count();

  AbstractValue new_container(const nb::object& result);
  AbstractValue given_array(const nb::object& array);

  Machine& machine_;
  State& state_;
  Takes takes_;
  bool has_views_ = false;
  std::size_t taken_ = 0;
  int depth_ = 0;
  std::vector<Copy> copies_;
  std::vector<WatchedTensor> tensors_;
  std::unordered_map<PyObject*, AbstractValue> origins_;    // by copy
  std::map<Key, nb::object> made_;                          // what was taken before: one object stays one
  std::unordered_map<PyObject*, nb::object> owners_given_;  // memory of the result's arrays: one of them each
  std::unordered_map<PyObject*, AbstractValue> given_;      // parts of the result: one object stays one
  std::vector<nb::object> kept_;
};

}  // namespace dycl::partial_eval
