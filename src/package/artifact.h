// SPDX-License-Identifier: Apache-2.0
// A compiled program in memory. The compiler makes it, a .dycl file stores it and the runtime loads it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"
#include "package/host_plan.h"

namespace dycl {

struct BackendStamp {
  std::string version;
  bool deterministic_blob = true;
};

// One distinct sub-DNN.
struct SubnetArtifact {
  std::string graph;  // portable ONNX; its weights are external, by name
  // Names in Artifact::weights: one per external initializer of the graph, in the graph's order.
  std::vector<std::string> weights;
  std::map<std::string, std::string> blobs;  // backend → compiled form; if absent, the graph is loaded
  std::string aten = {};                     // the same as ATen graphs, JSON; empty if not from PyTorch
};

// Why a sub-DNN runs on its backend, if several backends were timed.
struct SubnetChoice {
  std::string backend;
  std::map<std::string, std::int64_t> nanoseconds;  // backend → median of its runs
  std::map<std::string, std::string> refused;       // backend → why it refused the sub-DNN
  bool operator==(const SubnetChoice&) const = default;
};

// A question that the model asked of its surroundings, and the answer for which it was compiled.
struct AssumedFact {
  std::string question;  // "torch.is_grad_enabled()"
  std::string answer;    // "False"
  std::string where;     // "model.py:12:7"
  bool operator==(const AssumedFact&) const = default;
};

struct Artifact {
  std::string producer;      // "dycl 0.1.0"
  std::string origin;        // file name of the model, without folders
  std::string model_sha256;  // of the model's file; empty when not known
  std::string precision = "f32";
  std::string target;                            // "x86_64-linux"; native code adds CPU features
  std::map<std::string, BackendStamp> backends;  // name → what compiled it
  HostPlan plan;
  std::string hcfg;                               // text
  std::map<std::string, SubnetArtifact> subnets;  // hash → sub-DNN
  std::map<std::string, SubnetChoice> choices;    // by hash; empty unless backends were compared
  std::map<std::string, TensorPtr> weights;       // stored once, shared by all
  std::vector<AssumedFact> facts;                 // of a Python model, in order of discovery
  std::string signature;                          // of a Python model: how it was called, JSON; else empty
  std::string verification;                       // the verification report, JSON; empty if none was kept
};

// Counts the bytes of every tensor known at compile time, each once: those stored as weights, and the small
// ones that lie inside the graphs.
std::size_t weight_bytes(const Artifact& artifact);

// An artifact that a verifier accepted. It may be written, or run without further checks of indices or kinds
// of values; the runtime still checks sizes of tensors where values enter and leave sub-DNNs.
class VerifiedArtifact {
 public:
  const Artifact& operator*() const { return artifact_; }
  const Artifact* operator->() const { return &artifact_; }

 private:
  explicit VerifiedArtifact(Artifact artifact) : artifact_(std::move(artifact)) {}
  friend Result<VerifiedArtifact> verify_artifact(Artifact artifact);
  friend Result<VerifiedArtifact> verify_runnable(Artifact artifact);

  Artifact artifact_;
};

// Checks everything that a reader relies on: every index, reference, type and count.
Result<VerifiedArtifact> verify_artifact(Artifact artifact);

// Checks what the runtime relies on: the host plan, its constants and its states. The graphs of the sub-DNNs
// are left to the backend that loads them, and need not be ONNX.
Result<VerifiedArtifact> verify_runnable(Artifact artifact);

}  // namespace dycl
