// SPDX-License-Identifier: Apache-2.0
// Memory that torch.empty gave and nobody has written yet: it may be written and viewed, but not read.
#pragma once

#include <map>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The tensor, new, has elements with any numbers in them.
void mark_unwritten(Machine& machine, State& state, ObjectRef tensor);

// Throws Refused where an element of the tensor may not be written yet.
void refuse_unwritten(Machine& machine, const State& state, const TensorObject& tensor,
                      const std::string& reader);

// What of the base's unwritten elements a view of it sees.
nb::object unwritten_in_view(Machine& machine, const TensorObject& base, const TensorObject& view);

// Joins the masks of tensors that meet. If `placed` is false, their places in their storages differ.
nb::object joined_unwritten(Machine& machine, const nb::object& left, const nb::object& right, bool placed);
bool same_unwritten(Machine& machine, const nb::object& left, const nb::object& right);

// While a tensor is written, those that share its memory are brought up to date by calls that read them. What
// is not written of them is set aside for so long.
class UnwrittenAside {
 public:
  UnwrittenAside(Machine& machine, State& state, ObjectRef written);
  // Is called after the write. `index` is the part that was written, or null if nobody knows which.
  void put_back(const nb::object& index);

 private:
  Machine& machine_;
  State& state_;
  ObjectRef written_;
  std::map<HeapId, nb::object> aside_;
};

}  // namespace dycl::partial_eval
