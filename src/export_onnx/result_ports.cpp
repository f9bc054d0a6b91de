// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/result_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/host_op_signature.h"
#include "base/overloaded.h"
#include "export_onnx/refusals.h"

namespace dycl::export_onnx {
namespace {

struct Site {
  BlockId block;
  std::vector<std::string> names;
  std::vector<ReturnedValue> values;
};

Failure differing(const Hcfg& graph, BlockId block, const std::string& what) {
  return refused(graph, graph.blocks[block.index()].source, "export.results_differ",
                 fmt::format("returns differ in {}, and an ONNX file always gives the same outputs", what),
                 "return the same structure, with the same types, on every path");
}

Result<Site> site_of_tree(const Hcfg& graph, BlockId block, const Return& done) {
  Site site{block, {}, {}};
  for (const ResultLeaf& leaf : leaves_of(*done.tree)) {
    const std::string name = leaf.path.empty() ? "result" : leaf.path;
    if (const auto* value = std::get_if<ResultValue>(&leaf.content)) {
      site.names.push_back(name);
      site.values.emplace_back(done.values[value->index]);
      continue;
    }
    const auto& constant = std::get<ResultConstant>(leaf.content);
    if (std::holds_alternative<std::monostate>(constant)) continue;
    if (std::holds_alternative<std::string>(constant))
      return refused(graph, graph.blocks[block.index()].source, "export.string",
                     fmt::format("the result '{}' is a string, and ONNX has none outside tensors", name),
                     "return it from code around the model");
    site.names.push_back(name);
    std::visit(Overloaded{[](std::monostate) {}, [](const std::string&) {},
                          [&](auto scalar) { site.values.emplace_back(Scalar(scalar)); }},
               constant);
  }
  return site;
}

Result<Site> site_of(const Hcfg& graph, BlockId block, const Return& done) {
  if (done.tree != nullptr) return site_of_tree(graph, block, done);
  Site site{block, {}, {}};
  for (std::size_t index = 0; index < done.values.size(); ++index) {
    site.names.push_back(graph.outputs[index].name);
    site.values.emplace_back(done.values[index]);
  }
  return site;
}

Type type_of(const Hcfg& graph, const ReturnedValue& value) {
  if (const auto* id = std::get_if<ValueId>(&value)) return graph.type_of(*id);
  return ScalarType{kind_of(std::get<Scalar>(value))};
}

// Sizes that differ are left open.
Type common_type(const Type& left, const Type& right) {
  const TensorType* one = left.tensor();
  const TensorType* other = right.tensor();
  if (one == nullptr || !one->dims) return left;
  TensorType common = *one;
  if (!other->dims || other->dims->size() != common.dims->size()) {
    common.dims.reset();
    return common;
  }
  for (std::size_t axis = 0; axis < common.dims->size(); ++axis)
    if ((*common.dims)[axis] != (*other->dims)[axis]) (*common.dims)[axis] = Dim(SymbolId());
  return common;
}

Status add_site(const Hcfg& graph, Site site, ResultPorts& results) {
  if (results.returns.empty())
    for (std::size_t index = 0; index < site.names.size(); ++index)
      results.ports.push_back({site.names[index], type_of(graph, site.values[index])});
  if (site.names.size() != results.ports.size()) return differing(graph, site.block, "the number of results");
  for (std::size_t index = 0; index < site.names.size(); ++index) {
    ResultPort& port = results.ports[index];
    if (port.name != site.names[index]) return differing(graph, site.block, "their structure");
    const Type type = type_of(graph, site.values[index]);
    if (!same_up_to_sizes(port.type, type))
      return differing(graph, site.block, fmt::format("the type of '{}'", port.name));
    port.type = common_type(port.type, type);
  }
  results.returns.emplace(site.block, std::move(site.values));
  return {};
}

}  // namespace

Result<ResultPorts> result_ports(const Hcfg& graph, const ControlFlow& flow) {
  ResultPorts results;
  for (const BlockId block : flow.order) {
    const auto* done = std::get_if<Return>(&graph.blocks[block.index()].terminator);
    if (done == nullptr) continue;
    Result<Site> site = site_of(graph, block, *done);
    if (!site) return failure_of(std::move(site));
    if (Status added = add_site(graph, std::move(*site), results); !added)
      return failure_of(std::move(added));
  }
  return results;
}

std::optional<std::size_t> ResultPorts::number_or_tensor() const {
  const auto found = std::ranges::find_if(ports, [](const ResultPort& port) {
    return port.type.tensor() != nullptr || port.type.scalar() != nullptr;
  });
  if (found == ports.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ports.begin());
}

}  // namespace dycl::export_onnx
