// SPDX-License-Identifier: Apache-2.0
// Everything that distinguishes one path of the program from another while it is explored. Copying a
// state is cheap: frames and heap are shared until written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/size_expr.h"
#include "hcfg/hcfg.h"
#include "partial_eval/values/frame.h"
#include "partial_eval/values/heap.h"
#include "partial_eval/values/live_table.h"

namespace dycl::partial_eval {

// Live objects that the program has written to, and their twins on the heap.
using Overlay = LiveTable<ObjectRef>;

struct State;

// Memory that the program writes to and keeps from call to call. A live tensor or array that lies in it, and
// is not one that the program follows, is told when a path reads it.
struct WatchedMemory {
  struct Part {
    std::uintptr_t begin = 0, end = 0;
  };
  std::vector<Part> parts;
  std::function<void(const State&)> read;

  [[nodiscard]] bool holds(const nb::object& live) const;
};

// A check that must be made before the current HCFG block ends.
struct PendingCheck {
  ValueId raised;  // bool tensor: true raises
  std::string type;
  std::string message;
  SourceId source;
};

// A comparison of two sizes.
struct SizeTest {
  std::string relation;
  SizeExpr left, right;

  bool operator==(const SizeTest&) const = default;
};

struct State {
  std::vector<std::shared_ptr<Frame>> frames;  // outermost first
  Heap heap;
  Overlay overlay;
  std::vector<nb::object> contexts;    // autocast and the like, outermost first; entered around leaf calls
  std::map<ValueId, bool> truths;      // scalar bools whose value this path knows
  std::map<ValueId, SizeExpr> sizes;   // ints on the host that follow from sizes: how
  std::map<ValueId, ValueId> lengths;  // of sequences that this path has measured
  std::map<ValueId, AbstractValue> numbers;  // that this path has read from tensors which stand for them
  std::map<ValueId, SizeTest> size_tests;    // bools that compare sizes, on the host or in tensors
  std::map<ValueId, SizeExpr> held_sizes;    // of tensors with one int, which was compared: how it follows
  std::set<std::size_t> bound_sizes;         // symbols that the meeting which made this state gave to sizes
                                             // that differed, by their numbers
  std::vector<PendingCheck> checks;
  // Tensors of the caller's or of a session, by number of the input: what the program leaves in them is kept.
  std::map<std::uint32_t, ObjectRef> ports;
  // What those of the caller's are known to keep if the run raises (HostOp::Write); nothing behind a meeting.
  std::map<std::uint32_t, ValueId> left;
  // Lists, dicts and objects of the caller's, by number (border/inputs.h), if the program writes to such
  // ones.
  std::map<std::size_t, ObjectRef> containers;
  // The variants of what an earlier call left (Marks::variants) that a path to here may have begun with.
  std::set<std::size_t> begun_as;
  std::map<std::size_t, AbstractValue> drawn;  // rows taken so far, by number in Machine::draws; absent: none
  std::shared_ptr<const WatchedMemory> watched;  // null: none is
  // The places that made live tensors whose memory tensors and lists of the heap share, or did: those would
  // not see a write.
  std::set<std::string> makers_of_shared;
  dycl::BlockId block;  // of the HCFG, being written

  [[nodiscard]] const Frame& top() const { return *frames.back(); }
  Frame& edit_top();
  Frame& edit_frame(std::size_t depth);

  // Allocates on the heap and refers to it.
  template <class Kind>
  AbstractValue make(Kind object) {
    return heap.add(Object(std::move(object)));
  }
};

// The tensor at a place of the heap where there is one.
inline const TensorObject& tensor_at(const State& state, ObjectRef ref) {
  return std::get<TensorObject>(state.heap.at(ref));
}

// One of State::containers.
bool is_of_caller(const State& state, ObjectRef ref);
// It stands for an object of the model's, which the program has written to.
bool is_twin(const State& state, ObjectRef ref);

// What a value stands for now: a live object that was written to becomes its twin.
AbstractValue current(const State& state, const AbstractValue& value);

// A loop header and the calls that lead to it, without iteration numbers: the same in every evaluation.
using LoopPlace = std::vector<std::pair<const import_python::PythonFunction*, program::BlockId>>;
LoopPlace place_of(const State& state);

}  // namespace dycl::partial_eval
