// SPDX-License-Identifier: Apache-2.0
#include "legalize/fold_numbers.h"

#include <algorithm>
#include <unordered_map>

#include "hcfg/known_result.h"
#include "hcfg/text_attributes.h"

namespace dycl::legalize {

ValueId NumberFolder::constant_for(Hcfg& graph, const OnnxOp& op, const TensorPtr& result) {
  const auto [made, is_new] = made_.try_emplace(Key(op.name, attributes_text(op.attributes, 0), op.inputs));
  if (is_new) made->second = graph.add_constant(result, graph.value(op.inputs[0]).name);
  return made->second;
}

std::vector<OnnxOp> NumberFolder::fold(Hcfg& graph, ConstantTable& constants, std::vector<OnnxOp> ops,
                                       std::span<const ValueId> outputs) {
  const KnownTensors known =
      known_results(ops, [&](ValueId value) { return constants.contents(graph, value); });
  std::unordered_map<ValueId, ValueId> constant_of;  // by the value that it stands for
  std::vector<OnnxOp> kept;
  for (OnnxOp& op : ops) {
    for (ValueId& input : op.inputs)
      if (const auto found = constant_of.find(input); found != constant_of.end()) input = found->second;
    const auto result = op.outputs.size() == 1 ? known.find(op.outputs[0]) : known.end();
    const bool may_go = result != known.end() && std::ranges::find(outputs, op.outputs[0]) == outputs.end();
    if (may_go)
      constant_of.emplace(op.outputs[0], constant_for(graph, op, result->second));
    else
      kept.push_back(std::move(op));
  }
  constants.update(graph);
  return kept;
}

}  // namespace dycl::legalize
