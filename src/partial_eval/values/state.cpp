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

}  // namespace dycl::partial_eval
