// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/unwritten.h"

namespace dycl::partial_eval {
namespace {

bool is_same_memory(const TensorObject& one, const TensorObject& other) {
  return one.storage == other.storage && one.spec->dtype.is(other.spec->dtype);
}

}  // namespace

void mark_unwritten(Machine& machine, State& state, ObjectRef tensor) {
  auto& made = state.heap.edit_as<TensorObject>(tensor);
  made.unwritten = machine.torch.fresh_mask(made.spec);
}

void refuse_unwritten(Machine& machine, const State& state, const TensorObject& tensor,
                      const std::string& reader) {
  if (!machine.torch.seen_mask(tensor.unwritten, tensor.spec, tensor.at).is_valid()) return;
  machine.refuse(state, "python.unwritten_memory",
                 reader +
                     " reads a tensor with elements that may not have been written yet: torch.empty() "
                     "and its like leave any numbers in them",
                 "write all of it first, or begin with torch.zeros()");
}

nb::object unwritten_in_view(Machine& machine, const TensorObject& base, const TensorObject& view) {
  return machine.torch.seen_mask(base.unwritten, view.spec, view.at);
}

nb::object joined_unwritten(Machine& machine, const nb::object& left, const nb::object& right, bool placed) {
  if (!left.is_valid() && !right.is_valid()) return {};
  return placed ? machine.torch.united_masks(left, right) : nb::object(nb::none());
}

bool same_unwritten(Machine& machine, const nb::object& left, const nb::object& right) {
  if (!left.is_valid() && !right.is_valid()) return true;
  return machine.torch.same_masks(left, right);
}

UnwrittenAside::UnwrittenAside(Machine& machine, State& state, ObjectRef written)
    : machine_(machine), state_(state), written_(written) {
  const StorageId storage = tensor_at(state, written).storage;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->storage == storage && tensor->unwritten.is_valid())
      aside_.emplace(ref.id, tensor->unwritten);
  });
  for (const auto& [id, mask] : aside_) state.heap.edit_as<TensorObject>(ObjectRef{id}).unwritten = {};
}

void UnwrittenAside::put_back(const nb::object& index) {
  if (aside_.empty()) return;
  const TensorObject written = tensor_at(state_, written_);
  const bool whole = index.is_valid() && machine_.torch.is_whole_index(index);
  for (const auto& [id, mask] : aside_) {
    auto& tensor = state_.heap.edit_as<TensorObject>(ObjectRef{id});
    if (whole && id == written_.id) continue;
    tensor.unwritten = mask;
    if (index.is_valid() && is_same_memory(tensor, written))
      tensor.unwritten = machine_.torch.mask_after_write(mask, written.spec, written.at, index);
    tensor.unwritten = machine_.torch.seen_mask(tensor.unwritten, tensor.spec, tensor.at);
  }
}

}  // namespace dycl::partial_eval
