// SPDX-License-Identifier: Apache-2.0
#include "legalize/legal_defect.h"

#include <fmt/format.h>

#include <unordered_set>

namespace dycl::legalize {
namespace {

using Values = std::unordered_set<ValueId>;

void insert_outputs(const OnnxOp& op, Values& values) {
  for (const ValueId output : op.outputs)
    if (output.valid()) values.insert(output);
}

Values read_from_outside(std::span<const OnnxOp> ops) {
  Values made;
  Values read;
  for (const OnnxOp& op : ops) {
    for (const ValueId input : op.inputs)
      if (input.valid() && !made.contains(input)) read.insert(input);
    insert_outputs(op, made);
  }
  return read;
}

}  // namespace

std::string legal_defect(const Hcfg& graph, const ConstantTable& constants, std::span<const OnnxOp> before,
                         std::span<const OnnxOp> after, std::span<const ValueId> outputs) {
  const Values outside = read_from_outside(before);
  Values made;
  const auto is_given = [&](ValueId value) {
    return outside.contains(value) || constants.find(graph, value) != nullptr;
  };
  for (const OnnxOp& op : after) {
    for (const ValueId input : op.inputs)
      if (input.valid() && !made.contains(input) && !is_given(input))
        return fmt::format("{} reads %{} before it is made", op.name, graph.value(input).name);
    for (const ValueId output : op.outputs)
      if (output.valid() && (made.contains(output) || is_given(output)))
        return fmt::format("{} makes %{} again", op.name, graph.value(output).name);
    insert_outputs(op, made);
  }
  for (const ValueId output : outputs)
    if (!made.contains(output)) return fmt::format("nothing makes %{}", graph.value(output).name);
  return {};
}

}  // namespace dycl::legalize
