// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/first_contents.h"
#include "package/artifact.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/graph_outline.h"
#include "package/manifest.h"
#include "package/safetensors.h"
#include "package/verify_aten.h"
#include "package/verify_plan.h"
#include "package/verify_signature.h"
#include "package/verify_verification.h"

namespace dycl {
namespace {

Failure bad_subnet(std::string_view hash, std::string_view problem) {
  return package_error("bad_subnet", fmt::format("sub-DNN {}: {}", shown(hash), problem));
}

Status in_subnet(std::string_view hash, Status status) {
  status.error().message = fmt::format("sub-DNN {}: {}", shown(hash), status.error().message);
  return status;
}

class ArtifactVerifier {
 public:
  explicit ArtifactVerifier(const Artifact& artifact) : artifact_(artifact), plan_(artifact.plan) {}

  Status verify_all() {
    return run({&ArtifactVerifier::check_weights, &ArtifactVerifier::check_backends,
                &ArtifactVerifier::check_subnets, &ArtifactVerifier::check_plan,
                &ArtifactVerifier::check_constants, &ArtifactVerifier::check_calls,
                &ArtifactVerifier::check_called, &ArtifactVerifier::check_verified});
  }

  Status verify_runnable_parts() {
    return run({&ArtifactVerifier::check_weights, &ArtifactVerifier::check_plan,
                &ArtifactVerifier::check_constants});
  }

 private:
  Status run(std::initializer_list<Status (ArtifactVerifier::*)()> checks) {
    for (const auto check : checks)
      if (Status status = (this->*check)(); !status) return status;
    return {};
  }

  Status check_called() {
    if (artifact_.signature.empty()) return {};
    const auto inputs = std::ranges::count_if(plan_.inputs, [](const PlanPort& p) { return !p.is_state(); });
    return check_signature(artifact_.signature, static_cast<std::size_t>(inputs));
  }

  Status check_verified() {
    return artifact_.verification.empty() ? Status() : check_verification(artifact_.verification);
  }

  Status check_weights() {
    for (const auto& [name, tensor] : artifact_.weights) {
      if (tensor == nullptr)
        return package_error("bad_weight", fmt::format("the weight '{}' has no contents", shown(name)));
      if (Status status = check_tensor(*tensor); !status)
        return package_error("bad_weight",
                             fmt::format("the weight '{}': {}", shown(name), status.error().message));
    }
    return {};
  }

  Status check_backends() {
    for (const auto& [name, stamp] : artifact_.backends)
      if (!is_path_word(name))
        return package_error("bad_backend", fmt::format("'{}' is not the name of a backend", shown(name)));
    return {};
  }

  Status check_subnets() {
    for (const auto& [hash, subnet] : artifact_.subnets) {
      if (!is_path_word(hash)) return bad_subnet(hash, "its hash cannot be part of a path");
      for (const auto& [backend, blob] : subnet.blobs)
        if (!artifact_.backends.contains(backend))
          return bad_subnet(hash, fmt::format("the backend '{}' is not listed", shown(backend)));
      auto outline = outline_graph(subnet.graph);
      if (!outline) return bad_subnet(hash, outline.error().message);
      if (Status status = check_subnet_weights(hash, subnet, *outline); !status) return status;
      if (!subnet.aten.empty())
        if (Status status = check_aten(subnet.aten, subnet.weights.size()); !status)
          return in_subnet(hash, std::move(status));
      outlines_.emplace(hash, *std::move(outline));
    }
    return {};
  }

  Status check_subnet_weights(const std::string& hash, const SubnetArtifact& subnet,
                              const GraphOutline& outline) {
    if (subnet.weights.size() != outline.weights.size())
      return bad_subnet(hash, fmt::format("its graph needs {} weights, {} are named", outline.weights.size(),
                                          subnet.weights.size()));
    for (std::size_t index = 0; index < subnet.weights.size(); ++index) {
      const auto found = artifact_.weights.find(subnet.weights[index]);
      if (found == artifact_.weights.end())
        return bad_subnet(hash,
                          fmt::format("the weight '{}' is not in the package", shown(subnet.weights[index])));
      const GraphWeight& wanted = outline.weights[index];
      if (static_cast<std::int64_t>(found->second->dtype) != wanted.dtype ||
          found->second->dims != wanted.dims)
        return bad_subnet(hash, fmt::format("the weight '{}' is of another type than its graph says",
                                            shown(subnet.weights[index])));
    }
    return {};
  }

  Status check_plan() { return verify_plan(plan_); }

  Status check_constants() {
    for (const PlanConstant& constant : plan_.constants) {
      const auto found = artifact_.weights.find(constant.weight);
      if (found == artifact_.weights.end())
        return package_error("bad_plan",
                             fmt::format("the constant '{}' is not in the package", shown(constant.weight)));
      if (!fits(*found->second, *plan_.slots[constant.slot].tensor()))
        return package_error("bad_plan", fmt::format("the constant '{}' does not fit slot {}",
                                                     shown(constant.weight), constant.slot));
    }
    for (const PlanPort& port : plan_.inputs) {
      if (!port.is_state()) continue;
      FirstContents contents;
      for (const std::string& weight : *port.initial) {
        const auto found = artifact_.weights.find(weight);
        contents.push_back(found == artifact_.weights.end() ? nullptr : found->second);
      }
      if (!can_begin_with(port.type, contents))
        return package_error(
            "bad_plan", fmt::format("the first contents of the state '{}' are missing or of another type",
                                    shown(port.name)));
    }
    return {};
  }

  static bool fits(const TensorData& tensor, const TensorType& type) {
    if (tensor.dtype != type.dtype) return false;
    if (!type.dims) return true;
    if (type.dims->size() != tensor.dims.size()) return false;
    for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis) {
      const Dim& dim = (*type.dims)[axis];
      if (dim.is_static() && dim.constant != tensor.dims[axis]) return false;
    }
    return true;
  }

  Status check_calls() {
    for (const PlanSubnet& subnet : plan_.subnets) {
      if (!artifact_.subnets.contains(subnet.hash))
        return bad_subnet(subnet.hash, "it is not in the package");
      if (!artifact_.backends.contains(subnet.backend))
        return bad_subnet(subnet.hash, fmt::format("the backend '{}' is not listed", shown(subnet.backend)));
    }
    for (std::size_t at = 0; at < plan_.code.size(); ++at) {
      const auto* call = std::get_if<PlanCall>(&plan_.code[at].operation);
      if (call == nullptr) continue;
      if (Status status = check_call(*call); !status) {
        status.error().message = fmt::format("instruction {}: {}", at, status.error().message);
        return status;
      }
    }
    return {};
  }

  Status check_call(const PlanCall& call) {
    const PlanSubnet& subnet = plan_.subnets[call.subnet];
    const GraphOutline& outline = outlines_.at(subnet.hash);
    const std::size_t outputs = call.outputs.size() + subnet.guards.size();
    if (call.inputs.size() != outline.inputs.size() || outputs != outline.outputs.size())
      return bad_subnet(
          subnet.hash,
          fmt::format("it has {} inputs and {} outputs with guards, {} and {} are given",
                      outline.inputs.size(), outline.outputs.size(), call.inputs.size(), outputs));
    if (Status status = check_ports(subnet, outline.inputs, call.inputs); !status) return status;
    if (Status status = check_ports(subnet, outline.outputs, call.outputs); !status) return status;
    for (std::size_t index = call.outputs.size(); index < outputs; ++index)
      if (const std::int64_t dtype = outline.outputs[index].dtype;
          dtype != 0 && dtype != static_cast<std::int64_t>(DType::Bool))
        return bad_subnet(subnet.hash, "a guard must be a truth value");
    return {};
  }

  Status check_ports(const PlanSubnet& subnet, const std::vector<GraphPort>& ports,
                     const std::vector<SlotIndex>& slots) {
    for (std::size_t index = 0; index < slots.size(); ++index) {
      const auto dtype = static_cast<std::int64_t>(plan_.slots[slots[index]].tensor()->dtype);
      if (ports[index].dtype != 0 && ports[index].dtype != dtype)
        return bad_subnet(subnet.hash, fmt::format("slot {} has another element type than '{}'", slots[index],
                                                   shown(ports[index].name)));
    }
    return {};
  }

  const Artifact& artifact_;
  const HostPlan& plan_;
  std::map<std::string, GraphOutline> outlines_;
};

}  // namespace

Result<VerifiedArtifact> verify_artifact(Artifact artifact) {
  if (Status status = ArtifactVerifier(artifact).verify_all(); !status) return failure_of(std::move(status));
  return VerifiedArtifact(std::move(artifact));
}

Result<VerifiedArtifact> verify_runnable(Artifact artifact) {
  if (Status status = ArtifactVerifier(artifact).verify_runnable_parts(); !status)
    return failure_of(std::move(status));
  return VerifiedArtifact(std::move(artifact));
}

}  // namespace dycl
