// SPDX-License-Identifier: Apache-2.0
#include "subnet/stamp_aten.h"

#include <fmt/format.h>

#include <unordered_map>

#include "hcfg/fragment.h"

namespace dycl::subnet {
namespace {

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ",")); }

class AtenStamper {
 public:
  AtenStamper(const Hcfg& graph, const ConstantTable& constants, const StampedGraph& stamped)
      : graph_(graph), constants_(constants) {
    for (const ValueId input : stamped.inputs) names_.emplace(input, fmt::format("i{}", names_.size()));
    for (std::size_t index = 0; index < stamped.weights.size(); ++index)
      names_.emplace(stamped.weights[index], fmt::format("w{}", index));
  }

  std::string run(std::span<const FragmentCall* const> calls, std::span<const ValueId> outputs,
                  const StampedGraph& stamped) {
    for (const FragmentCall* call : calls) add_call(*call);
    return fmt::format(
        R"({{"inputs":[{}],"outputs":[{}],"weights":[{}],"constants":{{{}}},"fragments":[{}],"calls":[{}]}})",
        joined(names_of(stamped.inputs)), joined(names_of(outputs)), joined(names_of(stamped.weights)),
        joined(inline_constants_), joined(fragments_), joined(calls_));
  }

 private:
  std::vector<std::string> names_of(std::span<const ValueId> values) {
    std::vector<std::string> names;
    for (const ValueId value : values) names.push_back(quoted_name(value));
    return names;
  }

  std::string quoted_name(ValueId value) {
    if (!value.valid()) return "null";
    const auto found = names_.find(value);
    if (found != names_.end()) return fmt::format("\"{}\"", found->second);
    const TensorPtr* constant = constants_.find(graph_, value);
    std::string name =
        constant == nullptr ? fmt::format("v{}", results_++) : fmt::format("c{}", inline_constants_.size());
    if (constant != nullptr)
      inline_constants_.push_back(fmt::format(R"("{}":{{"type":"{}[{}]","hex":"{}"}})", name,
                                              dycl::name_of((*constant)->dtype),
                                              fmt::join((*constant)->dims, ","), hex_of((*constant)->bytes)));
    return fmt::format("\"{}\"", names_.emplace(value, std::move(name)).first->second);
  }

  // A value that only results which nobody needs depend on is no input of the sub-DNN: it has no name here.
  std::string quoted_use(ValueId value) {
    const bool known = names_.contains(value) || constants_.find(graph_, value) != nullptr;
    return known ? quoted_name(value) : "null";
  }

  void add_call(const FragmentCall& call) {
    const auto [known, added] = places_.try_emplace(call.fragment.get(), fragments_.size());
    if (added) fragments_.push_back(call.fragment->aten);
    std::vector<std::string> inputs;
    for (const ValueId value : call.inputs) inputs.push_back(quoted_use(value));
    calls_.push_back(fmt::format(R"({{"fragment":{},"in":[{}],"out":[{}]}})", known->second, joined(inputs),
                                 joined(names_of(call.outputs))));
  }

  const Hcfg& graph_;
  const ConstantTable& constants_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_map<const Fragment*, std::size_t> places_;
  std::vector<std::string> fragments_;
  std::vector<std::string> calls_;
  std::vector<std::string> inline_constants_;
  std::size_t results_ = 0;
};

}  // namespace

std::string stamp_aten(const Hcfg& graph, const ConstantTable& constants, std::span<const TensorOp> ops,
                       const StampedGraph& stamped, std::size_t guards) {
  std::vector<const FragmentCall*> calls;
  for (const TensorOp& op : ops) {
    const auto* call = std::get_if<FragmentCall>(&op);
    if (call == nullptr || call->fragment->aten.empty()) return {};
    calls.push_back(call);
  }
  const auto outputs = std::span(stamped.outputs).first(stamped.outputs.size() - guards);
  return AtenStamper(graph, constants, stamped).run(calls, outputs, stamped);
}

}  // namespace dycl::subnet
