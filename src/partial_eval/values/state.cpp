// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/state.h"

#include <algorithm>

#include "partial_eval/values/live_kinds.h"

namespace dycl::partial_eval {

namespace {

// Where its elements, or those of the tensor that it is a view of, begin in memory.
std::optional<std::uintptr_t> memory_of(const nb::object& live) {
  if (is_array(live))
    return nb::cast<std::uintptr_t>(nb::object(live.attr("__array_interface__")["data"][0]));
  if (!is_live_tensor(live)) return std::nullopt;
  try {
    return nb::cast<std::uintptr_t>(live.attr("untyped_storage")().attr("data_ptr")());
  } catch (nb::python_error&) {  // a sparse one has no memory of its own
    return std::nullopt;
  }
}

}  // namespace

bool WatchedMemory::holds(const nb::object& live) const {
  const auto address = memory_of(live);
  return address && std::ranges::any_of(parts, [&](const Part& part) {
           return part.begin <= *address && *address < part.end;
         });
}

Frame& State::edit_frame(std::size_t depth) {
  std::shared_ptr<Frame>& frame = frames[depth];
  if (frame.use_count() > 1) frame = std::make_shared<Frame>(*frame);
  return *frame;
}

Frame& State::edit_top() { return edit_frame(frames.size() - 1); }

bool is_of_caller(const State& state, ObjectRef ref) {
  return std::ranges::any_of(state.containers, [&](const auto& entry) { return entry.second == ref; });
}

bool is_twin(const State& state, ObjectRef ref) {
  return std::ranges::any_of(state.overlay.entries(), [&](const auto& entry) { return entry.value == ref; });
}

AbstractValue current(const State& state, const AbstractValue& value) {
  if (state.overlay.empty() && !state.watched) return value;
  const nb::object* live = value.constant();
  if (live == nullptr) return value;
  if (const ObjectRef* written = state.overlay.find(*live)) return *written;
  if (state.watched && state.watched->holds(*live)) state.watched->read(state);
  return value;
}

LoopPlace place_of(const State& state) {
  LoopPlace place;
  for (const auto& frame : state.frames) place.emplace_back(frame->function.get(), frame->block);
  return place;
}

}  // namespace dycl::partial_eval
