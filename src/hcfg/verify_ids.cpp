// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/overloaded.h"
#include "hcfg/type_flow.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

class IdChecker {
 public:
  explicit IdChecker(const Hcfg& graph) : graph_(graph), defined_(graph.values.size(), false) {}

  Status check() {
    if (graph_.blocks.empty()) return illegal("the graph has no block");
    if (!graph_.blocks[0].parameters.empty()) return illegal("the entry block b0 has parameters");
    if (auto status = types(); !status) return status;
    if (auto status = ports(); !status) return status;
    if (auto status = constants(); !status) return status;
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
      if (auto status = definitions(BlockId(block)); !status) return status;
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
      if (auto status = uses(BlockId(block)); !status) return status;
    return {};
  }

 private:
  Status types();
  Status ports();
  Status constants();
  Status definitions(BlockId block);
  Status uses(BlockId block);
  Status targets(BlockId block);

  // An empty string, or why the value cannot be defined here.
  std::string define(ValueId value) {
    if (value.index() >= graph_.values.size()) return "an output's id is not in the graph";
    if (defined_[value.index()]) return describe(graph_, value) + " is defined twice";
    defined_[value.index()] = true;
    return {};
  }

  std::string use_defect(ValueId value) const {
    if (value.index() >= graph_.values.size()) return "a used value's id is not in the graph";
    if (!defined_[value.index()]) return describe(graph_, value) + " is used and never defined";
    return {};
  }

  const Hcfg& graph_;
  std::vector<bool> defined_;
};

Status IdChecker::types() {
  for (const GraphValue& value : graph_.values)
    if (const auto defect = type_defect(value.type, graph_.symbols.size()); !defect.empty())
      return illegal(fmt::format("the type of %{}: {}", value.name, defect));
  return {};
}

bool holds(const TensorData& data, const Type& type) {
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr || tensor->dtype != data.dtype || !tensor->dims) return false;
  const auto count = element_count(data.dims);
  if (!count || *tensor->dims != std::vector<Dim>(data.dims.begin(), data.dims.end())) return false;
  return data.dtype == DType::String || byte_size(data.dtype, *count) == data.bytes.size();
}

Status IdChecker::ports() {
  for (const Port& port : graph_.inputs) {
    if (const auto defect = define(port.value); !defect.empty())
      return illegal(fmt::format("input '{}': {}", port.name, defect));
    if (const auto defect = type_defect(port.type, graph_.symbols.size()); !defect.empty())
      return illegal(fmt::format("input '{}': {}", port.name, defect));
    if (!port.optional && !same_kind(graph_.type_of(port.value), port.type))
      return illegal(fmt::format("input '{}' is declared {} and is {}", port.name,
                                 describe(graph_, port.type), describe(graph_, graph_.type_of(port.value))));
  }
  for (std::size_t index = 0; index < graph_.inputs.size(); ++index) {
    const Port& port = graph_.inputs[index];
    if (port.is_state() && !can_begin_with(graph_.type_of(port.value), *port.initial))
      return illegal(fmt::format("the first contents of the state '{}' are not of its type", port.name));
    if (index > 0 && !port.is_state() && graph_.inputs[index - 1].is_state())
      return illegal(fmt::format("the input '{}' comes after a state", port.name));
  }
  for (const Port& port : graph_.outputs)
    if (const auto defect = type_defect(port.type, graph_.symbols.size()); !defect.empty())
      return illegal(fmt::format("output '{}': {}", port.name, defect));
  return {};
}

Status IdChecker::constants() {
  for (const Constant& constant : graph_.constants) {
    if (const auto defect = define(constant.value); !defect.empty()) return illegal("a constant: " + defect);
    if (constant.data == nullptr || !holds(*constant.data, graph_.type_of(constant.value)))
      return illegal(fmt::format("the constant {} does not hold a {}", describe(graph_, constant.value),
                                 describe(graph_, graph_.type_of(constant.value))));
  }
  return {};
}

Status IdChecker::definitions(BlockId id) {
  const Block& block = graph_.blocks[id.index()];
  for (const ValueId parameter : block.parameters)
    if (const auto defect = define(parameter); !defect.empty())
      return illegal(fmt::format("block b{}: {}", id.value, defect));
  for (std::size_t step = 0; step < block.steps.size(); ++step) {
    std::string defect;
    for_each_definition(block.steps[step], [&](ValueId output) {
      if (defect.empty()) defect = define(output);
    });
    if (!defect.empty()) return illegal(graph_, {id, step, static_cast<std::size_t>(-1)}, defect);
  }
  return {};
}

Status IdChecker::targets(BlockId id) {
  const Block& block = graph_.blocks[id.index()];
  Status status;
  for_each_edge(block.terminator, [&](const Edge& edge) {
    if (!status) return;
    const Place place{id, block.steps.size()};
    if (edge.target.index() >= graph_.blocks.size()) {
      status = illegal(graph_, place, "an edge leads to a block that is not in the graph");
    } else if (const auto& target = graph_.blocks[edge.target.index()];
               target.parameters.size() != edge.arguments.size()) {
      status = illegal(graph_, place,
                       fmt::format("the edge to b{} gives {} arguments, the block takes {}",
                                   edge.target.value, edge.arguments.size(), target.parameters.size()));
    }
  });
  return status;
}

Status IdChecker::uses(BlockId id) {
  const Block& block = graph_.blocks[id.index()];
  std::string defect;
  const auto use = [&](ValueId value) {
    if (defect.empty()) defect = use_defect(value);
  };
  for (std::size_t step = 0; step < block.steps.size(); ++step) {
    for_each_use(block.steps[step], use);
    if (!defect.empty()) return illegal(graph_, {id, step, static_cast<std::size_t>(-1)}, defect);
  }
  for_each_use(block.terminator, use);
  if (!defect.empty()) return illegal(graph_, {id, block.steps.size()}, defect);
  return targets(id);
}

}  // namespace

Status verify_ids(const Hcfg& graph) { return IdChecker(graph).check(); }

}  // namespace dycl
