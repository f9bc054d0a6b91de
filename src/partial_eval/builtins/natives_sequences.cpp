// SPDX-License-Identifier: Apache-2.0
// torch.stack, torch.cat and torch.tensor of lists whose length depends on the path, padding by numbers.
#include "partial_eval/builtins/natives_sequences.h"

#include <algorithm>

#include "hcfg/type_join.h"
#include "partial_eval/builtins/native_call.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

const SequenceObject* sequence_argument(const NativeCall& call) {
  return call.count() == 0 ? nullptr : call.state.heap.get<SequenceObject>(current(call.state, call.at(0)));
}

// Lists of other kinds are torch's business.
std::optional<Outcome> by_model(NativeCall& call, const char* model) {
  if (sequence_argument(call) == nullptr) return std::nullopt;
  return call_prelude(call.machine, call.state, model, call.arguments);
}

std::optional<Outcome> stack_call(NativeCall& call) { return by_model(call, "stack_sequence"); }
std::optional<Outcome> cat_call(NativeCall& call) { return by_model(call, "cat_sequence"); }

// Something of numpy's that depends on the input, as the only thing that a tensor is made of.
bool is_given_numpy(NativeCall& call) {
  if (call.count() == 0) return false;
  const auto* instance = call.state.heap.get<InstanceObject>(current(call.state, call.at(0)));
  return instance != nullptr && stands_for_numpy(instance->type);
}

std::optional<Outcome> tensor_call(NativeCall& call) {
  if (is_given_numpy(call)) return call_prelude(call.machine, call.state, "tensor_of_numpy", call.arguments);
  return by_model(call, "tensor_of_sequence");
}

std::optional<Outcome> as_tensor_call(NativeCall& call) {
  if (!is_given_numpy(call)) return std::nullopt;
  return call_prelude(call.machine, call.state, "as_tensor_of_numpy", call.arguments);
}

// Widths that are no numbers of sizes are beyond torch's typing.
std::optional<Outcome> pad_call(NativeCall& call) {
  const AbstractValue pad = call.named(1, "pad");
  const AbstractValue mode = call.named(2, "mode");
  const auto* list = call.state.heap.get<ListObject>(pad);
  const auto* tuple = call.state.heap.get<TupleObject>(pad);
  if (list == nullptr && tuple == nullptr) return std::nullopt;
  const bool by_numbers = std::ranges::any_of(list != nullptr ? list->items : tuple->items,
                                              [](const auto& width) { return width.scalar() != nullptr; });
  if (!by_numbers) return std::nullopt;
  if (mode.bound() && (mode.constant() == nullptr || !mode.constant()->equal(nb::str("constant"))))
    call.machine.refuse(call.state, "python.leaf_refused",
                        "pad: the widths depend on the input, which only mode \"constant\" allows",
                        "pad by widths that are known at compile time");
  return call_prelude(call.machine, call.state, "pad_by_numbers", call.arguments);
}

std::optional<Outcome> pack_call(NativeCall& call) {
  const auto* found = sequence_argument(call);
  if (found == nullptr)
    return call_leaf(call.machine, call.state, call.machine.torch.stack_function(), call.arguments);
  const SequenceObject sequence = *found;
  const auto* element = call.state.heap.get<TensorObject>(sequence.element);
  if (element == nullptr) refuse_sequence(call.machine, call.state, sequence, "it is made one tensor");
  const SpecPtr element_spec = element->spec;
  const AbstractValue length = std::get<AbstractValue>(sequence_length(call.machine, call.state, sequence));
  TensorObject packed;
  packed.spec =
      packed_spec(call.machine, *element_spec, size_or_fresh(call.machine, call.state, *length.scalar()));
  Hcfg& graph = call.machine.emitter.graph;
  const Type type = refresh_symbols(packed.spec->type, fresh_symbols(graph));
  packed.value = call.machine.emitter.host(call.state, HostOp::SeqConcat, {sequence.value}, type, "packed",
                                           {{"axis", std::int64_t{0}}, {"new_axis", std::int64_t{1}}},
                                           call.machine.source(call.state));
  packed.storage = fresh_storage();
  packed.free_layout = true;  // of a stack of tensors that are permuted alike
  return call.state.make(std::move(packed));
}

}  // namespace

void add_sequence_natives(NativeTable& table) {
  table.add("torch", "stack", stack_call);
  table.add("torch", "cat concat concatenate", cat_call);
  table.add("torch", "tensor", tensor_call);
  table.add("torch", "as_tensor asarray", as_tensor_call);
  table.add("torch.nn.functional", "pad", pad_call);
  table.add("dycl.prelude.support", "pack", pack_call);
}

}  // namespace dycl::partial_eval
