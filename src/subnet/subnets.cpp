// SPDX-License-Identifier: Apache-2.0
#include "subnet/subnets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/operator_traits.h"
#include "base/sha256.h"
#include "hcfg/fragment.h"
#include "hcfg/uses.h"
#include "subnet/fold_numbers.h"
#include "subnet/stamp_aten.h"

namespace dycl::subnet {
namespace {

constexpr std::size_t kHashDigits = 32;  // 128 bits of sha256

struct Stamping {
  const std::set<std::string> wanted_guards;
  const StampOptions options;
  ConstantTable constants;
  NumberFolder numbers;
  std::unordered_map<ValueId, std::string> weight_names;
};

// Operations with a generator of their own draw their own numbers: such sub-DNNs are never shared.
bool draws_random_numbers(const std::vector<TensorOp>& ops) {
  return std::ranges::any_of(ops, [](const TensorOp& op) { return has_trait(op.name, Trait::Random); });
}

std::string hash_of(const SubnetInstance& subnet) {
  Sha256 hash;
  hash.update(subnet.graph.onnx);
  for (const std::string& weight : subnet.weights) hash.update(weight);
  return hash.hex().substr(0, kHashDigits);
}

bool comes_from_torch(const SubnetStep& step) {
  return std::ranges::any_of(step.ops, [](const TensorOp& op) { return op.fragment != nullptr; });
}

Result<SubnetInstance> stamp_one(Hcfg& graph, const SubnetStep& step, std::vector<ValueId> outputs,
                                 Stamping& stamping) {
  SubnetInstance subnet;
  std::vector<TensorOp> expanded = expand_fragments(graph, step.ops, outputs);
  stamping.constants.update(graph);
  GuardedOps guarded{stamping.numbers.fold(graph, stamping.constants, std::move(expanded), outputs), {}};
  std::set<std::string> wanted = stamping.wanted_guards;
  if (!comes_from_torch(step))
    for (const char* of_torch : {kMaxPoolNotFinite, kSigmoidUnderflow}) wanted.erase(of_torch);
  if (!wanted.empty()) guarded = add_guards(graph, stamping.constants, guarded.ops, outputs, wanted);
  for (const Guard& guard : guarded.guards) outputs.push_back(guard.raised);
  stamping.constants.update(graph);
  Result<StampedGraph> stamped = stamp(graph, stamping.constants, guarded.ops, outputs, stamping.options);
  if (!stamped) return failure_of(std::move(stamped));
  subnet.graph = std::move(*stamped);
  subnet.aten = stamp_aten(graph, stamping.constants, step.ops, subnet.graph, guarded.guards.size());
  subnet.guards = std::move(guarded.guards);
  for (const ValueId value : subnet.graph.weights) {
    const auto [known, added] = stamping.weight_names.try_emplace(value);
    if (added) known->second = weight_name(**stamping.constants.find(graph, value));
    subnet.weights.push_back(known->second);
  }
  subnet.hash = hash_of(subnet);
  if (draws_random_numbers(guarded.ops))
    subnet.hash = sha256_hex(subnet.hash + step.name).substr(0, kHashDigits);
  return subnet;
}

}  // namespace

std::string weight_name(const TensorData& tensor) {
  Sha256 hash;
  hash.update(fmt::format("{}[{}]", name_of(tensor.dtype), fmt::join(tensor.dims, ",")));
  hash.update(tensor.bytes);
  return hash.hex().substr(0, kHashDigits);
}

Result<std::vector<SubnetInstance>> stamp_subnets(Hcfg& graph, const BackendDescription& backend) {
  Stamping stamping{{backend.guards.begin(), backend.guards.end()},
                    {backend.opset, backend.ir_version, 1024, false},
                    {},
                    {},
                    {}};
  const UseTable table = use_table(graph);
  std::vector<SubnetInstance> subnets;
  for (std::size_t block = 0; block < graph.blocks.size(); ++block)
    for (std::size_t index = 0; index < graph.blocks[block].steps.size(); ++index) {
      const auto* step = std::get_if<SubnetStep>(&graph.blocks[block].steps[index]);
      if (step == nullptr) continue;
      std::vector<ValueId> outputs = border_of(*step, table).outputs;
      if (outputs.empty()) continue;
      Result<SubnetInstance> subnet = stamp_one(graph, *step, std::move(outputs), stamping);
      if (!subnet) return failure_of(std::move(subnet));
      subnet->backend = backend.name;
      subnet->block = BlockId(block);
      subnet->step = index;
      subnet->name = step->name.empty() ? fmt::format("s{}", subnets.size()) : step->name;
      subnets.push_back(std::move(*subnet));
    }
  return subnets;
}

}  // namespace dycl::subnet
