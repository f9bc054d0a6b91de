// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/sha256.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/folder_reader.h"
#include "package/host_plan_json.h"
#include "package/manifest.h"
#include "package/package_file.h"
#include "package/safetensors.h"
#include "package/whole_file.h"
#include "package/zip_reader.h"

namespace dycl {
namespace {

using Entries = std::map<std::string_view, const PackageEntry*>;

std::vector<std::string> expected_names(const Manifest& manifest) {
  std::vector<std::string> names{std::string(kProgramName), std::string(kHcfgName)};
  if (manifest.signature) names.emplace_back(kSignatureName);
  if (manifest.verification) names.emplace_back(kVerificationName);
  for (const auto& [hash, subnet] : manifest.subnets) {
    names.push_back(graph_name(hash));
    if (subnet.aten) names.push_back(aten_name(hash));
    for (const std::string& backend : subnet.blobs) names.push_back(blob_name(hash, backend));
  }
  names.emplace_back(kWeightsName);
  return names;
}

Status check_hash(const PackageEntry& entry, const ManifestEntry& wanted) {
  if (entry.bytes.size() != wanted.size)
    return package_error("bad_size", fmt::format("the entry '{}' has {} bytes, its manifest says {}",
                                                 entry.name, entry.bytes.size(), wanted.size));
  if (sha256_hex(entry.bytes) != wanted.sha256)
    return package_error(
        "bad_hash", fmt::format("the contents of '{}' do not match the sha256 in the manifest", entry.name));
  return {};
}

// Exactly the entries that the manifest implies, each listed with its hash, and no others.
Result<Entries> check_entries(const std::vector<PackageEntry>& all, const Manifest& manifest) {
  Entries entries;
  for (const PackageEntry& entry : std::span(all).subspan(1)) entries.emplace(entry.name, &entry);
  const std::vector<std::string> names = expected_names(manifest);
  for (const std::string& name : names) {
    const auto entry = entries.find(name);
    if (entry == entries.end())
      return package_error("missing_entry", fmt::format("the entry '{}' is missing", shown(name)));
    const auto wanted = manifest.entries.find(name);
    if (wanted == manifest.entries.end())
      return package_error("bad_manifest", fmt::format("manifest.json has no sha256 of '{}'", shown(name)));
    if (Status status = check_hash(*entry->second, wanted->second); !status)
      return failure_of(std::move(status));
  }
  const std::set<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, entry] : entries)
    if (!known.contains(name))
      return package_error("unknown_entry",
                           fmt::format("the entry '{}' does not belong to a package", shown(name)));
  for (const auto& [name, facts] : manifest.entries)
    if (!entries.contains(name))
      return package_error("missing_entry", fmt::format("the entry '{}' is missing", shown(name)));
  return entries;
}

Artifact artifact_of(const Manifest& manifest, const Entries& entries) {
  Artifact artifact;
  artifact.producer = manifest.producer;
  artifact.origin = manifest.origin;
  artifact.model_sha256 = manifest.model_sha256;
  artifact.precision = manifest.precision;
  artifact.target = manifest.target;
  artifact.backends = manifest.backends;
  artifact.choices = manifest.choices;
  artifact.facts = manifest.facts;
  artifact.hcfg = text_of(entries.at(kHcfgName)->bytes);
  if (manifest.signature) artifact.signature = text_of(entries.at(kSignatureName)->bytes);
  if (manifest.verification) artifact.verification = text_of(entries.at(kVerificationName)->bytes);
  for (const auto& [hash, facts] : manifest.subnets) {
    SubnetArtifact& subnet = artifact.subnets[hash];
    subnet.graph = text_of(entries.at(graph_name(hash))->bytes);
    if (facts.aten) subnet.aten = text_of(entries.at(aten_name(hash))->bytes);
    subnet.weights = facts.weights;
    for (const std::string& backend : facts.blobs)
      subnet.blobs[backend] = text_of(entries.at(blob_name(hash, backend))->bytes);
    for (const auto& [backend, other] : facts.shared)
      subnet.blobs[backend] = text_of(entries.at(blob_name(other, backend))->bytes);
  }
  return artifact;
}

// The manifest repeats what the program says, for tools that read no further; both must agree.
Status check_agreement(const Manifest& manifest, const Artifact& artifact) {
  const Manifest wanted = manifest_of(artifact);
  if (manifest.inputs != wanted.inputs || manifest.outputs != wanted.outputs)
    return package_error("bad_manifest", "manifest.json describes other inputs or outputs than program.json");
  if (manifest.nondeterministic != wanted.nondeterministic)
    return package_error("bad_manifest",
                         "manifest.json lists other non-deterministic entries than its backends make");
  return {};
}

Result<VerifiedArtifact> assemble(const std::vector<PackageEntry>& all) {
  if (all.empty() || all[0].name != kManifestName)
    return package_error("no_manifest", "the first entry is not manifest.json");
  auto manifest = read_manifest(text_of(all[0].bytes));
  if (!manifest) return failure_of(std::move(manifest));
  auto entries = check_entries(all, *manifest);
  if (!entries) return failure_of(std::move(entries));
  Artifact artifact = artifact_of(*manifest, *entries);
  auto plan = read_host_plan(text_of(entries->at(kProgramName)->bytes));
  if (!plan) return failure_of(std::move(plan));
  artifact.plan = *std::move(plan);
  const PackageEntry& weights = *entries->at(kWeightsName);
  auto tensors = read_safetensors(weights.bytes, weights.owner);
  if (!tensors) return failure_of(std::move(tensors));
  artifact.weights = *std::move(tensors);
  auto verified = verify_artifact(std::move(artifact));
  if (!verified) return verified;
  if (Status status = check_agreement(*manifest, **verified); !status) return failure_of(std::move(status));
  return verified;
}

Result<VerifiedArtifact> read_from(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    auto entries = read_folder(path);
    if (!entries) return failure_of(std::move(entries));
    return assemble(*entries);
  }
  auto file = read_whole_file(path);
  if (!file) return failure_of(std::move(file));
  auto entries = read_zip((*file)->bytes(), *file);
  if (!entries) return failure_of(std::move(entries));
  auto artifact = assemble(*entries);
  if (!artifact) return artifact;
  // The weights are views into the file; everything else was copied out of it.
  const auto weights = std::ranges::find(*entries, kWeightsName, &PackageEntry::name);
  (*file)->keep_only(weights->bytes);
  return artifact;
}

}  // namespace

Result<VerifiedArtifact> read_package_bytes(std::span<const std::byte> file,
                                            const std::shared_ptr<const void>& owner) {
  auto entries = read_zip(file, owner);
  if (!entries) return failure_of(std::move(entries));
  return assemble(*entries);
}

Result<VerifiedArtifact> read_package(const std::filesystem::path& path) {
  auto artifact = read_from(path);
  if (!artifact) return in_file(std::move(artifact.error()), path.string());
  return artifact;
}

}  // namespace dycl
