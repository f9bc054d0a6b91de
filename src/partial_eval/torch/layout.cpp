// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "partial_eval/data/types.h"
#include "partial_eval/values/live_object.h"

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

// Meetings after which the strides of some operand depend on the path.
Origins origins_of_layout(const State& state, std::span<const ObjectRef> operands) {
  Origins origins;
  for (const ObjectRef ref : operands) origins = united(origins, tensor_at(state, ref).layout);
  return origins;
}

// What strides decide: those of inputs, and those that meetings gave up.
struct Strides {
  bool free = false;
  Origins origins;
};

// Every tensor in the storage may share memory with a result, or not.
void let_share_freely(State& state, StorageId storage, const Strides& strides) {
  std::vector<ObjectRef> sharing;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->storage == storage) sharing.push_back(ref);
  });
  for (const ObjectRef ref : sharing) {
    auto& tensor = state.heap.edit_as<TensorObject>(ref);
    tensor.free_sharing = tensor.free_sharing || strides.free;
    tensor.sharing = united(tensor.sharing, strides.origins);
  }
}

}  // namespace

void need_one_layout(const Origins& given_up) {
  if (given_up) throw Restart{*given_up};
}

void note_strides_that_raise(Machine& machine, const State& state, const std::string& function,
                             std::span<const ObjectRef> operands) {
  const bool reads_memory = function == "as_strided";
  if (!reads_memory && !kViews.contains(function)) return;
  need_one_layout(origins_of_layout(state, operands));
  if (reads_memory) machine.inputs.layout_read = true;
  if (any_free(state, operands)) machine.inputs.layout_used = true;
}

void note_result_layout(State& state, TensorObject& result, const std::string& function, bool has_options,
                        std::span<const ObjectRef> operands) {
  const Strides strides{any_free(state, operands), origins_of_layout(state, operands)};
  if (!strides.free && !strides.origins) return;
  const bool other_format = function == "contiguous" && has_options;
  const bool follows = other_format || !kContiguous.contains(function);
  result.free_layout = strides.free && follows;
  if (follows) result.layout = strides.origins;
  if (!kViewsOrCopies.contains(function)) return;
  result.free_sharing = result.free_sharing || strides.free;
  result.made_contiguous = function == "contiguous";
  result.sharing = united(result.sharing, strides.origins);
  const std::vector<ObjectRef> given(operands.begin(), operands.end());
  for (const ObjectRef ref : given)
    let_share_freely(state, StorageId(tensor_at(state, ref).storage), strides);
}

std::optional<AbstractValue> same_for_these_strides(State& state, const std::string& function,
                                                    bool has_options, ObjectRef operand) {
  const Strides strides{tensor_at(state, operand).free_layout, tensor_at(state, operand).layout};
  if (function != "contiguous" || (!strides.free && !strides.origins)) return std::nullopt;
  let_share_freely(state, StorageId(tensor_at(state, operand).storage), strides);
  TensorObject same = tensor_at(state, operand);
  same.free_layout = strides.free && has_options;
  same.made_contiguous = true;
  if (!has_options) same.layout = nullptr;
  return state.make(std::move(same));
}

bool may_be_one_by_strides(const TensorObject& one, const TensorObject& other) {
  if (!one.made_contiguous && !other.made_contiguous) return false;
  if (!one.free_sharing || !other.free_sharing) return false;
  if (one.storage == other.storage) return one.at == other.at && one.spec == other.spec;
  // Of strides that do not allow it contiguous() has made a copy, which it will not do of others.
  return one.spec->shape == other.spec->shape && one.spec->dtype.is(other.spec->dtype);
}

Outcome storage_offset(Machine& machine, State& state, const TensorObject& tensor) {
  need_one_layout(tensor.layout);
  const auto found = machine.inputs.offsets.find(tensor.storage);
  const bool is_input = found != machine.inputs.offsets.end();
  if (!tensor.at || tensor.static_base.is_valid() || tensor.identity || (tensor.outside && !is_input))
    machine.refuse(state, "python.storage_offset",
                   "where this tensor begins in its memory is not known at compile time",
                   "use the values of the tensor, its shape or its dtype");
  std::int64_t first = 0;
  if (is_input) {
    first = found->second;
    machine.inputs.offset_read = true;
  }
  if (tensor.free_layout)
    machine.inputs.layout_read = true;  // how far a view begins from there follows from strides
  return known(nb::int_(first + *tensor.at));
}

namespace {

// The number of the input that the tensor is, whatever its strides are.
std::optional<std::size_t> number_of_input(const Machine& machine, const State& state,
                                           const AbstractValue& value) {
  const auto input = std::ranges::find(machine.inputs.objects, *value.object());
  if (input == machine.inputs.objects.end() || state.heap.get<TensorObject>(value)->identity)
    return std::nullopt;
  return static_cast<std::size_t>(input - machine.inputs.objects.begin());
}

}  // namespace

bool is_parameter(Machine& machine, const State& state, const AbstractValue& value) {
  const std::optional<std::size_t> input = number_of_input(machine, state, value);
  const bool may_be_input = input || state.heap.get<TensorObject>(value)->identity;
  if (!may_be_input) return false;
  machine.inputs.parameters_read = true;
  if (!input && std::ranges::count(machine.inputs.parameters, true) > 0)
    machine.refuse(state, "python.tensor_attribute",
                   "whether this tensor is a parameter depends on strides: it may be an input, or a copy",
                   "ask the argument itself");
  return input && machine.inputs.parameters.at(*input);
}

nb::object class_of(Machine& machine, const State& state, const AbstractValue& given) {
  const AbstractValue value = current(state, given);
  if (state.heap.get<TensorObject>(value) != nullptr && is_parameter(machine, state, value))
    return library_object("torch.nn", "Parameter");
  return type_of(machine, state, value);
}

void note_missing_attribute(Machine& machine, const State& state, const AbstractValue& value,
                            const std::string& name) {
  const std::optional<std::size_t> input = number_of_input(machine, state, value);
  if (!input && !state.heap.get<TensorObject>(value)->identity) return;
  machine.inputs.attributes_read = true;
  for (const nb::object& attributes : machine.inputs.own_attributes)
    if (attributes.is_valid() && nb::borrow<nb::dict>(attributes).contains(name.c_str()))
      machine.refuse(state, "python.tensor_attribute",
                     fmt::format("the attribute '{}' of a tensor among the arguments is read", name),
                     "pass it as an argument of its own");
}

Outcome requires_grad(Machine& machine, const State& state, const AbstractValue& value) {
  const auto& tensor = *state.heap.get<TensorObject>(value);
  const std::optional<std::size_t> input = number_of_input(machine, state, value);
  const bool any_input = std::ranges::count(machine.inputs.gradients, true) > 0;
  const bool view_of_input = machine.inputs.offsets.contains(tensor.storage);
  // A view has the gradients of its base, unless it was detached.
  const bool unclear = tensor.identity || view_of_input ? any_input && !input : tensor.outside;
  if (unclear)
    machine.refuse(state, "python.tensor_attribute",
                   "'requires_grad' is read of a tensor that may be a view of one with gradients",
                   "detach() it first, or ask the input or parameter itself");
  if (view_of_input || tensor.identity) machine.inputs.gradients_read = true;
  const bool answer = input && machine.inputs.gradients.at(*input);
  machine.note_fact(state, "Tensor.requires_grad", nb::bool_(answer));
  return known_bool(answer);
}

}  // namespace dycl::partial_eval
