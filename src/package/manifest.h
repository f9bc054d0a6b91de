// SPDX-License-Identifier: Apache-2.0
// manifest.json, the first entry: what the package is, and the size and sha256 of every other entry.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "package/artifact.h"

namespace dycl {

inline constexpr std::int64_t kPackageFormat = 1;

struct ManifestEntry {
  std::uint64_t size = 0;
  std::string sha256;
  bool operator==(const ManifestEntry&) const = default;
};

struct ManifestSubnet {
  std::vector<std::string> weights;
  std::vector<std::string> blobs;  // backends
  bool aten = false;               // has an aten.json
  // Backend → the sub-DNN whose blob this one shares. Equal blobs are stored once, with the first sub-DNN by
  // hash.
  std::map<std::string, std::string> shared = {};
};

struct ManifestPort {
  std::string name;
  std::string type;  // "f32[batch,3]", with the model's own symbol names
  bool optional = false;
  bool operator==(const ManifestPort&) const = default;
};

struct Manifest {
  std::string producer;
  std::string origin;
  std::string model_sha256;
  std::string precision;
  std::string target;
  std::map<std::string, BackendStamp> backends;
  std::vector<ManifestPort> inputs;
  std::vector<ManifestPort> outputs;
  bool signature = false;     // has a signature.json
  bool verification = false;  // has a verification.json
  std::map<std::string, ManifestSubnet> subnets;
  std::map<std::string, SubnetChoice> choices;  // see Artifact
  std::vector<AssumedFact> facts;
  std::map<std::string, ManifestEntry> entries;
  std::vector<std::string> nondeterministic;  // entries that differ between identical compilations
};

// Makes everything but `entries`, which depend on the bytes to be written.
Manifest manifest_of(const Artifact& artifact);
std::vector<ManifestPort> describe_ports(const HostPlan& plan, const std::vector<PlanPort>& ports);

Result<std::string> write_manifest(const Manifest& manifest);
Result<Manifest> read_manifest(std::string_view text);

// The names of entries.
inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kProgramName = "program.json";
inline constexpr std::string_view kHcfgName = "hcfg.txt";
inline constexpr std::string_view kSignatureName = "signature.json";
inline constexpr std::string_view kVerificationName = "verification.json";
inline constexpr std::string_view kWeightsName = "weights/weights.safetensors";
std::string graph_name(std::string_view hash);
std::string aten_name(std::string_view hash);
std::string blob_name(std::string_view hash, std::string_view backend);

// Says whether a hash or a backend's name may be part of a path: letters, digits, '_', '-', not too long.
bool is_path_word(std::string_view word);

}  // namespace dycl
