// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/layout.h"

#include <algorithm>
#include <set>

namespace dycl::partial_eval {
namespace {

using Names = std::set<std::string, std::less<>>;

// Raise where the strides do not allow a view.
const Names kViews{"view",         "view_as", "unflatten",           "Unflatten",
                   "_unsafe_view", "stft",    "local_response_norm", "LocalResponseNorm"};
// Give a view where the strides allow it, else a copy.
const Names kViewsOrCopies{"reshape", "reshape_as", "flatten", "ravel", "contiguous", "Flatten"};
// Give contiguous tensors, whatever they are given.
const Names kContiguous{"contiguous", "linear",    "Linear",    "mm",         "bmm",
                        "addmm",      "embedding", "Embedding", "layer_norm", "LayerNorm"};

bool any_free(const State& state, std::span<const ObjectRef> operands) {
  return std::ranges::any_of(operands, [&](ObjectRef ref) { return tensor_at(state, ref).free_layout; });
}

// Every tensor in the storage may share memory with a result, or not.
void let_share_freely(State& state, StorageId storage) {
  std::vector<ObjectRef> sharing;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->storage == storage && !tensor->free_sharing) sharing.push_back(ref);
  });
  for (const ObjectRef ref : sharing) state.heap.edit_as<TensorObject>(ref).free_sharing = true;
}

}  // namespace

void note_strides_that_raise(Machine& machine, const State& state, const std::string& function,
                             std::span<const ObjectRef> operands) {
  if (kViews.contains(function) && any_free(state, operands)) machine.inputs.layout_used = true;
}

void note_result_layout(State& state, TensorObject& result, const std::string& function, bool has_options,
                        std::span<const ObjectRef> operands) {
  if (!any_free(state, operands)) return;
  const bool other_format = function == "contiguous" && has_options;
  result.free_layout = other_format || !kContiguous.contains(function);
  if (!kViewsOrCopies.contains(function)) return;
  result.free_sharing = true;
  const std::vector<ObjectRef> given(operands.begin(), operands.end());
  for (const ObjectRef ref : given) let_share_freely(state, StorageId(tensor_at(state, ref).storage));
}

std::optional<AbstractValue> same_for_these_strides(State& state, const std::string& function,
                                                    bool has_options, ObjectRef operand) {
  if (function != "contiguous" || !tensor_at(state, operand).free_layout) return std::nullopt;
  let_share_freely(state, StorageId(tensor_at(state, operand).storage));
  TensorObject same = tensor_at(state, operand);
  same.free_layout = has_options;
  return state.make(std::move(same));
}

bool may_be_one_by_strides(const TensorObject& one, const TensorObject& other) {
  return one.free_sharing && other.free_sharing && one.storage == other.storage && one.at == other.at &&
         one.spec == other.spec;
}

Outcome storage_offset(Machine& machine, State& state, const TensorObject& tensor) {
  if (!tensor.at || tensor.static_base.is_valid() || tensor.identity)
    machine.refuse(state, "python.storage_offset",
                   "where this tensor begins in its memory is not known at compile time",
                   "use the values of the tensor, its shape or its dtype");
  std::int64_t first = 0;
  if (const auto found = machine.inputs.offsets.find(tensor.storage); found != machine.inputs.offsets.end()) {
    first = found->second;
    machine.inputs.offset_read = true;
  }
  if (tensor.free_layout)
    machine.inputs.layout_read = true;  // how far a view begins from there follows from strides
  return known(nb::int_(first + *tensor.at));
}

Outcome requires_grad(Machine& machine, const State& state, const AbstractValue& value) {
  const auto& tensor = *state.heap.get<TensorObject>(value);
  const auto input = std::ranges::find(machine.inputs.objects, *value.object());
  const bool is_input = input != machine.inputs.objects.end() && !tensor.identity;
  const bool any_input = std::ranges::count(machine.inputs.gradients, true) > 0;
  const bool view_of_input = machine.inputs.offsets.contains(tensor.storage);
  // A view has the gradients of its base, unless it was detached.
  const bool unclear = tensor.identity || view_of_input ? any_input && !is_input : tensor.outside;
  if (unclear)
    machine.refuse(state, "python.tensor_attribute",
                   "'requires_grad' is read of a tensor that may be a view of one with gradients",
                   "detach() it first, or ask the input or parameter itself");
  if (view_of_input || tensor.identity) machine.inputs.gradients_read = true;
  const bool answer = is_input && machine.inputs.gradients.at(
                                      static_cast<std::size_t>(input - machine.inputs.objects.begin()));
  machine.note_fact(state, "Tensor.requires_grad", nb::bool_(answer));
  return known_bool(answer);
}

}  // namespace dycl::partial_eval
