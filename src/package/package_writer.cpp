// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"
#include "package/atomic_file.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/host_plan_json.h"
#include "package/manifest.h"
#include "package/package_file.h"
#include "package/safetensors.h"

namespace dycl {
namespace {

ManifestEntry facts_of(const ZipSource& source) {
  ManifestEntry facts;
  Sha256 hash;
  for (const auto piece : source.pieces) {
    hash.update(piece);
    facts.size += piece.size();
  }
  facts.sha256 = hash.hex();
  return facts;
}

// Entries in their fixed order; the manifest comes first although it is made last.
std::vector<ZipSource> sources_of(const Artifact& artifact, const Manifest& manifest,
                                  const std::string& program, const SafetensorsImage& weights) {
  std::vector<ZipSource> sources{{std::string(kManifestName), {}},
                                 {std::string(kProgramName), {bytes_of(program)}},
                                 {std::string(kHcfgName), {bytes_of(artifact.hcfg)}}};
  if (!artifact.signature.empty())
    sources.push_back({std::string(kSignatureName), {bytes_of(artifact.signature)}});
  if (!artifact.verification.empty())
    sources.push_back({std::string(kVerificationName), {bytes_of(artifact.verification)}});
  for (const auto& [hash, subnet] : artifact.subnets) {
    sources.push_back({graph_name(hash), {bytes_of(subnet.graph)}});
    if (!subnet.aten.empty()) sources.push_back({aten_name(hash), {bytes_of(subnet.aten)}});
    for (const std::string& backend : manifest.subnets.at(hash).blobs)
      sources.push_back({blob_name(hash, backend), {bytes_of(subnet.blobs.at(backend))}});
  }
  sources.push_back({std::string(kWeightsName), weights.pieces()});
  return sources;
}

Status write_to(const Artifact& artifact, const std::filesystem::path& path) {
  auto program = write_host_plan(artifact.plan);
  if (!program) return failure_of(std::move(program));
  auto weights = make_safetensors(artifact.weights);
  if (!weights) return failure_of(std::move(weights));
  Manifest manifest = manifest_of(artifact);
  std::vector<ZipSource> sources = sources_of(artifact, manifest, *program, *weights);
  for (const ZipSource& source : std::span(sources).subspan(1))
    manifest.entries[source.name] = facts_of(source);
  auto text = write_manifest(manifest);
  if (!text) return failure_of(std::move(text));
  sources[0].pieces = {bytes_of(*text)};
  return write_atomically(path, [&](const ByteSink& sink) { return write_zip(sources, sink); });
}

}  // namespace

Status write_package(const VerifiedArtifact& artifact, const std::filesystem::path& path) {
  Status status = write_to(*artifact, path);
  if (!status) return in_file(std::move(status.error()), path.string());
  return status;
}

Status write_package(Artifact artifact, const std::filesystem::path& path) {
  auto verified = verify_artifact(std::move(artifact));
  if (!verified) return in_file(std::move(verified.error()), path.string());
  return write_package(*verified, path);
}

Status check_package_place(const std::filesystem::path& path) {
  Status status = check_place(path);
  if (!status) return in_file(std::move(status.error()), path.string());
  return status;
}

}  // namespace dycl
