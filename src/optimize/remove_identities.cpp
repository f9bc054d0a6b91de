// SPDX-License-Identifier: Apache-2.0
#include "optimize/remove_identities.h"

#include <algorithm>

#include "base/operator_traits.h"
#include "optimize/producers.h"
#include "optimize/replacements.h"
#include "optimize/same_parameters.h"
#include "optimize/single_operator.h"

namespace dycl::optimize {
namespace {

class IdentityRules {
 public:
  IdentityRules(const Hcfg& graph, const Producers& producers) : graph_(graph), producers_(producers) {}

  // The value that the step's (first) output equals, or an invalid id.
  [[nodiscard]] ValueId original(const HostStep& step) const {
    switch (step.op) {
      case HostOp::Item: return of_item(step);
      case HostOp::ToTensor: return of_to_tensor(step);
      case HostOp::ToInt:
      case HostOp::ToFloat:
      case HostOp::ToBool:
        return graph_.type_of(step.inputs[0]) == graph_.type_of(step.outputs[0]) ? step.inputs[0] : ValueId{};
      case HostOp::Unwrap: return of_unwrap(step);
      case HostOp::SeqAt: return of_seq_at(step);
      case HostOp::View: return of_view(step);
      case HostOp::And: return of_neutral(step, true);
      case HostOp::Or: return of_neutral(step, false);
      default: return {};
    }
  }

  [[nodiscard]] ValueId original(const TensorOp& op) const {
    const std::optional<SingleOperator> found = single_operator(producers_, op);
    if (!found || found->inputs.empty() || !found->inputs[0].value.valid()) return {};
    if (outputs_of(op).empty() || !outputs_of(op)[0].valid()) return {};
    return copies_first_input(*found, outputs_of(op)) ? found->inputs[0].value : ValueId{};
  }

 private:
  [[nodiscard]] const TensorType* tensor_type(ValueId value) const { return graph_.type_of(value).tensor(); }

  [[nodiscard]] bool copies_first_input(const SingleOperator& found,
                                        const std::vector<ValueId>& outputs) const {
    const std::string& name = found.op->name;
    const TensorType& from = *tensor_type(found.inputs[0].value);
    const TensorType& to = *tensor_type(outputs[0]);
    if (name == "Identity") return true;
    if (name == "Cast") return from.dtype == to.dtype;
    if (name == "Dropout") return is_inference_dropout(found, outputs);
    return has_trait(name, Trait::Resizes) && from.is_static() && from == to;
  }

  [[nodiscard]] bool is_inference_dropout(const SingleOperator& found,
                                          const std::vector<ValueId>& outputs) const {
    const bool mask_used =
        outputs.size() > 1 && outputs[1].valid() && !producers_.table().uses_of(outputs[1]).empty();
    if (found.op->version < 7 || mask_used) return false;
    if (found.inputs.size() < 3 || !found.inputs[2].is_given()) return true;
    const TensorPtr& training = found.inputs[2].contents;
    return training != nullptr && training->bytes.size() == 1 && training->bytes[0] == std::byte{0};
  }

  // Only element types that a scalar of the kind holds without rounding.
  static bool holds_exactly(ScalarKind kind, DType dtype) {
    if (kind == ScalarKind::Bool) return dtype == DType::Bool;
    if (kind == ScalarKind::I64) return is_integer(dtype) && dtype != DType::U64;
    return dtype == DType::F64 || dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
  }

  [[nodiscard]] ValueId of_item(const HostStep& step) const {
    const HostStep* source = producers_.host_step(step.inputs[0], HostOp::ToTensor);
    if (source == nullptr) return {};
    const DType dtype = tensor_type(step.inputs[0])->dtype;
    const bool exact = dtype == DType::I64 || dtype == DType::F64 || dtype == DType::Bool;
    const bool same_kind = graph_.type_of(source->inputs[0]) == graph_.type_of(step.outputs[0]);
    return exact && same_kind && holds_exactly(graph_.type_of(step.outputs[0]).scalar()->kind, dtype)
               ? source->inputs[0]
               : ValueId{};
  }

  [[nodiscard]] ValueId of_to_tensor(const HostStep& step) const {
    const HostStep* source = producers_.host_step(step.inputs[0], HostOp::Item);
    if (source == nullptr) return {};
    const TensorType* from = tensor_type(source->inputs[0]);
    const bool exact = holds_exactly(graph_.type_of(step.inputs[0]).scalar()->kind, from->dtype);
    return exact && from->is_static() && *from == *tensor_type(step.outputs[0]) ? source->inputs[0]
                                                                                : ValueId{};
  }

  [[nodiscard]] ValueId of_unwrap(const HostStep& step) const {
    const HostStep* source = producers_.host_step(step.inputs[0], HostOp::Some);
    return source == nullptr ? ValueId{} : source->inputs[0];
  }

  [[nodiscard]] ValueId of_seq_at(const HostStep& step) const {
    const HostStep* source = producers_.host_step(step.inputs[0], HostOp::SeqOf);
    const std::optional<Scalar> known = producers_.scalar(step.inputs[1]);
    if (source == nullptr || !known || !std::holds_alternative<std::int64_t>(*known)) return {};
    const auto length = static_cast<std::int64_t>(source->inputs.size());
    std::int64_t index = std::get<std::int64_t>(*known);
    if (index < 0) index += length;
    return index >= 0 && index < length ? source->inputs[static_cast<std::size_t>(index)] : ValueId{};
  }

  [[nodiscard]] ValueId of_view(const HostStep& step) const {
    const TensorType* from = tensor_type(step.inputs[0]);
    const TensorType* to = tensor_type(step.outputs[0]);
    if (!from->dims || !to->dims) return {};
    const auto wanted = attribute_or(step.attributes, "dims", std::vector<std::int64_t>{-2});
    const bool copies_all = wanted.size() == from->dims->size() &&
                            std::ranges::all_of(wanted, [](auto size) { return size == 0; });
    return copies_all || (from->is_static() && from->dims == to->dims) ? step.inputs[0] : ValueId{};
  }

  // `and` with true, `or` with false.
  [[nodiscard]] ValueId of_neutral(const HostStep& step, bool neutral) const {
    for (std::size_t index = 0; index < 2; ++index)
      if (producers_.scalar(step.inputs[index]) == Scalar(neutral)) return step.inputs[1 - index];
    return step.inputs[0] == step.inputs[1] ? step.inputs[0] : ValueId{};
  }

  const Hcfg& graph_;
  const Producers& producers_;
};

void replace_copy(Replacements& values, ValueId copy, ValueId original) {
  if (original.valid()) values.replace(copy, values.resolve(original));
}

}  // namespace

Result<Hcfg> remove_identities(Hcfg graph, const PassContext&) {
  const ControlFlow flow = control_flow(graph);
  const Producers producers(graph);
  const IdentityRules rules(graph, producers);
  Replacements values(graph, flow);
  for (const BlockId block : flow.order) {
    for (const Step& step : graph.blocks[block.index()].steps) {
      if (const auto* host = std::get_if<HostStep>(&step)) {
        if (!host->outputs.empty()) replace_copy(values, host->outputs[0], rules.original(*host));
        continue;
      }
      for (const TensorOp& op : std::get<SubnetStep>(step).ops)
        if (const ValueId original = rules.original(op); original.valid())
          replace_copy(values, outputs_of(op)[0], original);
    }
  }
  replace_same_parameters(graph, flow, values);
  values.apply(graph);
  return graph;
}

}  // namespace dycl::optimize
