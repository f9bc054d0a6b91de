// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "hcfg/fragment.h"
#include "hcfg/operator_versions.h"
#include "hcfg/type_flow.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

bool has_null_tensor(const Attributes& attributes) {
  return std::ranges::any_of(attributes, [](const auto& entry) {
    const auto* tensor = std::get_if<TensorPtr>(&entry.second);
    return tensor != nullptr && *tensor == nullptr;
  });
}

std::string problem_of(const OnnxOp& op) {
  if (is_control_flow(op))
    return fmt::format("a sub-DNN may not contain {}: control flow belongs to the graph", op.name);
  return has_null_tensor(op.attributes) ? "an attribute has no contents" : "";
}

std::string problem_of(const Hcfg& graph, const FragmentCall& call) {
  if (auto defect = fragment_defect(*call.fragment); !defect.empty())
    return fmt::format("the fragment {}: {}", call.fragment->name, defect);
  return call_defect(graph, call);
}

Status verify_tensor_op(const Hcfg& graph, const TensorOp& op, Place place) {
  if (operation_name(op).empty()) return illegal(graph, place, "an operation has no name");
  const std::string problem =
      std::visit(Overloaded{
                     [](const OnnxOp& plain) { return problem_of(plain); },
                     [&](const FragmentCall& call) { return problem_of(graph, call); },
                 },
                 op);
  if (!problem.empty()) return illegal(graph, place, problem);
  for (const auto* ids : {&inputs_of(op), &outputs_of(op)})
    for (const ValueId id : *ids)
      if (id.valid() && graph.type_of(id).tensor() == nullptr)
        return illegal(graph, place,
                       fmt::format("{} is {}; a sub-DNN works on tensors only", describe(graph, id),
                                   describe(graph, graph.type_of(id))));
  return {};
}

Status verify_step(const Hcfg& graph, const Step& step, Place place) {
  const auto* subnet = std::get_if<SubnetStep>(&step);
  if (subnet == nullptr) return verify_host_step(graph, std::get<HostStep>(step), place);
  for (place.op = 0; place.op < subnet->ops.size(); ++place.op)
    if (auto status = verify_tensor_op(graph, subnet->ops[place.op], place); !status) return status;
  return {};
}

Status expect_scalar(const Hcfg& graph, ValueId value, ScalarKind kind, std::string_view what, Place place) {
  const ScalarType* scalar = graph.type_of(value).scalar();
  if (scalar != nullptr && scalar->kind == kind) return {};
  return illegal(graph, place,
                 fmt::format("{} {} is {}, not {}", what, describe(graph, value),
                             describe(graph, graph.type_of(value)), describe(graph, ScalarType{kind})));
}

// Sites may return different structures, so none of them is declared as the graph's outputs.
Status verify_tree(const Hcfg& graph, const Return& done, Place place) {
  if (!graph.outputs.empty())
    return illegal(graph, place, "a structure is returned and the graph declares outputs");
  const std::string defect = tree_defect(*done.tree, done.result_count());
  return defect.empty() ? Status() : illegal(graph, place, "the returned structure: " + defect);
}

Status verify_writes(const Hcfg& graph, const Return& done, Place place) {
  if (done.writes.size() > done.values.size())
    return illegal(graph, place, "a return writes more than it has");
  for (std::size_t index = 0; index < done.writes.size(); ++index) {
    const std::uint32_t input = done.writes[index];
    if (input >= graph.inputs.size() || (index > 0 && input <= done.writes[index - 1]))
      return illegal(graph, place, "a return writes an input twice, or one that is not there");
    if (auto status = verify_contents(graph, input, done.values[done.result_count() + index], place); !status)
      return status;
  }
  return {};
}

// Only kinds and element types: a declared size of an output is the user's word, checked at the border.
Status verify_return(const Hcfg& graph, const Return& done, Place place) {
  if (auto status = verify_writes(graph, done, place); !status) return status;
  if (done.tree != nullptr) return verify_tree(graph, done, place);
  if (done.result_count() != graph.outputs.size())
    return illegal(graph, place,
                   fmt::format("{} values are returned, the graph declares {} outputs", done.result_count(),
                               graph.outputs.size()));
  for (std::size_t index = 0; index < done.result_count(); ++index) {
    const Type& type = graph.type_of(done.values[index]);
    const Port& port = graph.outputs[index];
    if (!same_kind(type, port.type))
      return illegal(graph, place,
                     fmt::format("{} is {}, output '{}' is declared {}", describe(graph, done.values[index]),
                                 describe(graph, type), port.name, describe(graph, port.type)));
  }
  return {};
}

Status verify_raise(const Hcfg& graph, const Raise& raise, Place place) {
  if (raise.type.empty()) return illegal(graph, place, "a raise names no exception type");
  for (const ValueId value : raise.scalars)
    if (graph.type_of(value).scalar() == nullptr)
      return illegal(graph, place,
                     fmt::format("a raise shows scalars only, {} is {}", describe(graph, value),
                                 describe(graph, graph.type_of(value))));
  std::vector<ScalarKind> kinds;
  for (const ValueId value : raise.scalars) kinds.push_back(graph.type_of(value).scalar()->kind);
  if (const std::string defect = defect_of_raise(raise.format, kinds, raise.attributes); !defect.empty())
    return illegal(graph, place, defect);
  return {};
}

Status verify_terminator(const Hcfg& graph, const Terminator& terminator, Place place) {
  return std::visit(Overloaded{
                        [](const Jump&) { return Status(); },
                        [&](const Branch& branch) {
                          return expect_scalar(graph, branch.condition, ScalarKind::Bool, "the condition",
                                               place);
                        },
                        [&](const Switch& choice) {
                          return expect_scalar(graph, choice.index, ScalarKind::I64, "the index", place);
                        },
                        [&](const Return& done) { return verify_return(graph, done, place); },
                        [&](const Raise& raise) { return verify_raise(graph, raise, place); },
                    },
                    terminator);
}

}  // namespace

// New contents of an input are of its own type.
Status verify_contents(const Hcfg& graph, std::uint32_t input, ValueId contents, Place place) {
  const Port& port = graph.inputs[input];
  const Type& type = graph.type_of(contents);
  if ((port.is_state() || type.tensor() != nullptr) && same_kind(type, port.type)) return {};
  return illegal(
      graph, place,
      fmt::format("{} is {}, the input '{}' that it is written to is {}", describe(graph, contents),
                  describe(graph, type), port.name, describe(graph, port.type)));
}

Status verify_operations(const Hcfg& graph) {
  for (std::size_t id = 0; id < graph.blocks.size(); ++id) {
    const Block& block = graph.blocks[id];
    for (std::size_t step = 0; step < block.steps.size(); ++step)
      if (auto status = verify_step(graph, block.steps[step], {BlockId(id), step}); !status) return status;
  }
  return {};
}

Status verify_terminators(const Hcfg& graph) {
  for (std::size_t id = 0; id < graph.blocks.size(); ++id) {
    const Block& block = graph.blocks[id];
    const Place place{BlockId(id), block.steps.size()};
    if (auto status = verify_terminator(graph, block.terminator, place); !status) return status;
  }
  return {};
}

}  // namespace dycl
