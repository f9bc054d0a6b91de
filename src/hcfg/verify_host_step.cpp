// SPDX-License-Identifier: Apache-2.0
// Kinds and attributes are the business of the shared table (base/host_op_signature.h), which also names the
// rule that sizes follow. What a rule asks is here.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/host_op_signature.h"
#include "hcfg/type_flow.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

using Types = std::span<const Type* const>;

const char* unless(bool legal, const char* complaint) { return legal ? "" : complaint; }

const char* item_sizes(const Type& input) {
  const TensorType* tensor = input.tensor();
  const auto may_be_one = [](const Dim& dim) { return !dim.is_static() || dim.constant == 1; };
  return unless(tensor == nullptr || !tensor->dims || std::ranges::all_of(*tensor->dims, may_be_one),
                "the tensor has not one element");
}

const char* to_tensor_sizes(const Attributes& attributes, const TensorType& output) {
  const auto sizes = attribute_or(attributes, "dims", std::vector<std::int64_t>{});
  return unless(!output.dims || *output.dims == std::vector<Dim>(sizes.begin(), sizes.end()),
                "the output has not the sizes of the attribute 'dims'");
}

const char* elements_fit(const Type& container, Types values) {
  const Type& element =
      container.seq() != nullptr ? *container.seq()->element : *container.optional()->element;
  return unless(std::ranges::all_of(values, [&](const Type* value) { return flows_into(*value, element); }),
                "a value's sizes do not fit the element's type");
}

const char* element_fits(const Type& container, const Type& output) {
  const Type& element =
      container.seq() != nullptr ? *container.seq()->element : *container.optional()->element;
  return unless(flows_into(element, output), "the output promises sizes that the element has not");
}

const char* sequence_fits(const Type& sequence, const Type& output) {
  return unless(flows_into(sequence, output), "the output promises sizes that the sequence has not");
}

const char* insert_fits(Types inputs, const Type& output) {
  const char* problem = sequence_fits(*inputs[0], output);
  return *problem != '\0' ? problem : elements_fit(output, inputs.subspan(1, 1));
}

const char* view_sizes(const Attributes& attributes, const TensorType& output) {
  const auto sizes = attribute_or(attributes, "dims", std::vector<std::int64_t>{});
  return unless(!output.dims || output.dims->size() == sizes.size(),
                "the output has not the rank of the attribute 'dims'");
}

const char* row_sizes(const TensorType& input, const TensorType& output) {
  if (!output.dims) return "";
  if (!input.dims) return "the output promises a rank that the input has not";
  if (input.dims->empty()) return "the input has no axis";
  return unless(std::ranges::equal(*input.dims | std::views::drop(1), *output.dims),
                "the output has not the input's sizes without the first");
}

const char* size_problem(const HostStep& step, Types inputs, Types outputs) {
  switch (signature_of(step.op).sizes) {
    case SizeRule::NoSizes:
    case SizeRule::FreeSizes: return "";
    case SizeRule::OneElement: return item_sizes(*inputs[0]);
    case SizeRule::StatedSizes: return to_tensor_sizes(step.attributes, *outputs[0]->tensor());
    case SizeRule::StatedRank: return view_sizes(step.attributes, *outputs[0]->tensor());
    case SizeRule::FirstAxisGone: return row_sizes(*inputs[0]->tensor(), *outputs[0]->tensor());
    case SizeRule::HeldValues: return elements_fit(*outputs[0], inputs);
    case SizeRule::InsertedValue: return insert_fits(inputs, *outputs[0]);
    case SizeRule::SameSequence: return sequence_fits(*inputs[0], *outputs[0]);
    case SizeRule::ElementOfInput: return element_fits(*inputs[0], *outputs[0]);
  }
  internal_error("a rule for sizes that is not in the list");
}

std::string problem_of(const HostStep& step, Types inputs, Types outputs) {
  if (const auto problem = check_host_op(step.op, step.attributes, inputs, outputs)) return *problem;
  return size_problem(step, inputs, outputs);
}

// What a run that raises leaves in an input of the caller's.
Status verify_write(const Hcfg& graph, const HostStep& step, Place place) {
  const auto input = std::get<std::int64_t>(step.attributes.at("input"));
  const bool is_there = input >= 0 && std::cmp_less(input, graph.inputs.size());
  if (!is_there || graph.inputs[static_cast<std::size_t>(input)].is_state())
    return illegal(graph, place, "a write goes to an input that is not there, or that is a state");
  return verify_contents(graph, static_cast<std::uint32_t>(input), step.inputs[0], place);
}

}  // namespace

Status verify_host_step(const Hcfg& graph, const HostStep& step, Place place) {
  std::vector<const Type*> inputs;
  std::vector<const Type*> outputs;
  for (const auto& [ids, types] : {std::pair(&step.inputs, &inputs), std::pair(&step.outputs, &outputs)})
    for (const ValueId id : *ids) {
      if (!id.valid()) return illegal(graph, place, "a host operation omits nothing");
      types->push_back(&graph.type_of(id));
    }
  const std::string problem = problem_of(step, inputs, outputs);
  if (problem.empty()) return step.op == HostOp::Write ? verify_write(graph, step, place) : Status();
  std::string given;
  for (const Type* type : inputs) given += (given.empty() ? "" : ", ") + describe(graph, *type);
  return illegal(graph, place, fmt::format("{}; it takes ({})", problem, given));
}

}  // namespace dycl
