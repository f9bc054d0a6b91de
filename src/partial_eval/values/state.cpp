// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

const ObjectRef* Overlay::find(nb::handle object) const {
  if (entries_.empty()) return nullptr;
  const auto found = entries_.find(object.ptr());
  return found == entries_.end() ? nullptr : &found->second.twin;
}

void Overlay::set(nb::object object, ObjectRef twin) {
  PyObject* key = object.ptr();
  entries_.insert_or_assign(key, Entry{std::move(object), twin});
}

Frame& State::edit_frame(std::size_t depth) {
  std::shared_ptr<Frame>& frame = frames[depth];
  if (frame.use_count() > 1) frame = std::make_shared<Frame>(*frame);
  return *frame;
}

Frame& State::edit_top() { return edit_frame(frames.size() - 1); }

AbstractValue current(const State& state, const AbstractValue& value) {
  if (state.overlay.empty()) return value;
  const nb::object* live = value.constant();
  if (live == nullptr) return value;
  const ObjectRef* written = state.overlay.find(*live);
  return written == nullptr ? value : AbstractValue(*written);
}

LoopPlace place_of(const State& state) {
  LoopPlace place;
  for (const auto& frame : state.frames) place.emplace_back(frame->function.get(), frame->block);
  return place;
}

}  // namespace dycl::partial_eval
