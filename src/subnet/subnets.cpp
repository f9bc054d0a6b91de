// SPDX-License-Identifier: Apache-2.0
#include "subnet/subnets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "base/operator_traits.h"
#include "base/sha256.h"
#include "subnet/stamp_aten.h"

namespace dycl::subnet {
namespace {

constexpr std::size_t kHashDigits = 32;  // 128 bits of sha256

struct Stamping {
  const StampOptions options;
  ConstantTable constants;
  std::unordered_map<ValueId, std::string> weight_names;
};

// Operations with a generator of their own draw their own numbers: such sub-DNNs are never shared.
bool draws_random_numbers(const std::vector<OnnxOp>& ops) {
  return std::ranges::any_of(ops, [](const OnnxOp& op) { return has_trait(op.name, Trait::Random); });
}

std::string hash_of(const SubnetInstance& subnet) {
  Sha256 hash;
  hash.update(subnet.graph.onnx);
  for (const std::string& weight : subnet.weights) hash.update(weight);
  return hash.hex().substr(0, kHashDigits);
}

const SubnetStep& step_of(const Hcfg& graph, const legalize::LegalSubnet& subnet) {
  return std::get<SubnetStep>(graph.blocks[subnet.block.index()].steps[subnet.step]);
}

Result<SubnetInstance> stamp_one(const Hcfg& graph, const legalize::LegalSubnet& legal, Stamping& stamping) {
  const SubnetStep& step = step_of(graph, legal);
  SubnetInstance subnet;
  Result<StampedGraph> stamped = stamp(graph, stamping.constants, legal, stamping.options);
  if (!stamped) return failure_of(std::move(stamped));
  subnet.graph = std::move(*stamped);
  subnet.aten = stamp_aten(graph, stamping.constants, step.ops, subnet.graph, legal.guards.size());
  subnet.guards = legal.guards;
  for (const ValueId value : subnet.graph.weights) {
    const auto [known, added] = stamping.weight_names.try_emplace(value);
    if (added) known->second = weight_name(**stamping.constants.find(graph, value));
    subnet.weights.push_back(known->second);
  }
  subnet.hash = hash_of(subnet);
  if (draws_random_numbers(legal.ops))
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

Result<std::vector<SubnetInstance>> stamp_subnets(const Hcfg& graph,
                                                  std::span<const legalize::LegalSubnet> legal,
                                                  const BackendDescription& backend) {
  Stamping stamping{{backend.opset, backend.ir_version, 1024, false, true}, {}, {}};
  stamping.constants.update(graph);
  std::vector<SubnetInstance> subnets;
  for (const legalize::LegalSubnet& one : legal) {
    Result<SubnetInstance> subnet = stamp_one(graph, one, stamping);
    if (!subnet) return failure_of(std::move(subnet));
    subnet->backend = backend.name;
    subnet->block = one.block;
    subnet->step = one.step;
    const std::string& name = step_of(graph, one).name;
    subnet->name = name.empty() ? fmt::format("s{}", subnets.size()) : name;
    subnets.push_back(std::move(*subnet));
  }
  return subnets;
}

}  // namespace dycl::subnet
