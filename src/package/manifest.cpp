// SPDX-License-Identifier: Apache-2.0
#include "package/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "package/entry.h"
#include "package/error.h"
#include "package/json_reader.h"
#include "package/limits.h"

namespace dycl {
namespace {

Json ports_json(const std::vector<ManifestPort>& ports) {
  Json list = Json::array();
  for (const ManifestPort& port : ports)
    list.push_back({{"name", port.name}, {"type", port.type}, {"optional", port.optional}});
  return list;
}

Json document_of(const Manifest& manifest) {
  Json backends = Json::object();
  for (const auto& [name, stamp] : manifest.backends)
    backends[name] = {{"version", stamp.version}, {"deterministic_blob", stamp.deterministic_blob}};
  Json subnets = Json::object();
  for (const auto& [hash, subnet] : manifest.subnets) {
    subnets[hash] = {{"weights", subnet.weights}, {"blobs", subnet.blobs}};
    if (subnet.aten) subnets[hash]["aten"] = true;
    if (!subnet.shared.empty()) subnets[hash]["shared"] = subnet.shared;
  }
  Json entries = Json::object();
  for (const auto& [name, entry] : manifest.entries)
    entries[name] = {{"size", entry.size}, {"sha256", entry.sha256}};
  Json document{{"format", "dycl"},
                {"format_version", kPackageFormat},
                {"producer", manifest.producer},
                {"provenance", {{"origin", manifest.origin}, {"model_sha256", manifest.model_sha256}}},
                {"precision", manifest.precision},
                {"target", manifest.target},
                {"backends", std::move(backends)},
                {"inputs", ports_json(manifest.inputs)},
                {"outputs", ports_json(manifest.outputs)},
                {"subnets", std::move(subnets)},
                {"entries", std::move(entries)},
                {"nondeterministic", manifest.nondeterministic}};
  if (manifest.signature) document["signature"] = true;
  if (manifest.verification) document["verification"] = true;
  for (const auto& [question, answer, where] : manifest.facts)
    document["facts"].push_back({{"question", question}, {"answer", answer}, {"where", where}});
  for (const auto& [hash, choice] : manifest.choices)
    document["choices"][hash] = {
        {"backend", choice.backend}, {"nanoseconds", choice.nanoseconds}, {"refused", choice.refused}};
  return document;
}

std::vector<std::string> texts_of(const JsonCursor& list) {
  std::vector<std::string> texts;
  list.each([&](const JsonCursor& text) { texts.push_back(text.text()); });
  return texts;
}

std::vector<ManifestPort> ports_of(const JsonCursor& list) {
  std::vector<ManifestPort> ports;
  list.each([&](const JsonCursor& object) {
    object.only_fields({"name", "type", "optional"});
    ports.push_back(
        {object.field("name").text(), object.field("type").text(), object.field("optional").boolean()});
  });
  return ports;
}

void read_entries(const JsonCursor& object, Manifest& manifest) {
  object.each_member([&](const JsonCursor& entry) {
    entry.only_fields({"size", "sha256"});
    manifest.entries[std::string(entry.key())] = {static_cast<std::uint64_t>(entry.field("size").integer(0)),
                                                  entry.field("sha256").text()};
  });
}

void read_subnets(const JsonCursor& object, Manifest& manifest) {
  object.each_member([&](const JsonCursor& subnet) {
    subnet.only_fields({"weights", "blobs", "aten", "shared"});
    if (!is_path_word(subnet.key())) subnet.say("is not a hash");
    ManifestSubnet facts{texts_of(subnet.field("weights")), texts_of(subnet.field("blobs"))};
    if (const auto aten = subnet.optional_field("aten")) facts.aten = aten->boolean();
    if (!std::ranges::all_of(facts.blobs, is_path_word)) subnet.say("names a backend that cannot exist");
    if (std::ranges::adjacent_find(facts.blobs, std::greater_equal()) != facts.blobs.end())
      subnet.say("must name its backends once and in order");
    if (const auto shared = subnet.optional_field("shared"))
      shared->each_member([&](const JsonCursor& other) {
        if (std::ranges::count(facts.blobs, other.key()) > 0) other.say("is a blob of its own, too");
        facts.shared[std::string(other.key())] = other.text();
      });
    manifest.subnets[std::string(subnet.key())] = std::move(facts);
  });
}

// A shared blob lies where the manifest says, not at a third place.
void check_shared(const JsonCursor& subnets, const Manifest& manifest) {
  for (const auto& [hash, subnet] : manifest.subnets)
    for (const auto& [backend, other] : subnet.shared) {
      const auto found = manifest.subnets.find(other);
      if (found == manifest.subnets.end() || std::ranges::count(found->second.blobs, backend) == 0)
        subnets.say("shares a blob that is not there");
    }
}

void read_backends(const JsonCursor& object, Manifest& manifest) {
  object.each_member([&](const JsonCursor& backend) {
    backend.only_fields({"version", "deterministic_blob"});
    if (!is_path_word(backend.key())) backend.say("is not the name of a backend");
    manifest.backends[std::string(backend.key())] = {backend.field("version").text(),
                                                     backend.field("deterministic_blob").boolean()};
  });
}

void read_choices(const JsonCursor& object, Manifest& manifest) {
  object.each_member([&](const JsonCursor& choice) {
    choice.only_fields({"backend", "nanoseconds", "refused"});
    if (!manifest.subnets.contains(std::string(choice.key()))) choice.say("is not a sub-DNN of the package");
    SubnetChoice& made = manifest.choices[std::string(choice.key())];
    made.backend = choice.field("backend").text();
    choice.field("nanoseconds").each_member([&](const JsonCursor& time) {
      made.nanoseconds[std::string(time.key())] = time.integer(0);
    });
    choice.field("refused").each_member(
        [&](const JsonCursor& reason) { made.refused[std::string(reason.key())] = reason.text(); });
  });
}

// Printed as it is.
std::string printable(const JsonCursor& cursor) {
  std::string text = cursor.text();
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    cursor.say("has characters that cannot be printed");
  return text;
}

void read_facts(const JsonCursor& list, Manifest& manifest) {
  list.each([&](const JsonCursor& fact) {
    fact.only_fields({"question", "answer", "where"});
    manifest.facts.push_back(
        {printable(fact.field("question")), printable(fact.field("answer")), printable(fact.field("where"))});
  });
}

Manifest read_fields(const JsonCursor& root) {
  root.only_fields({"format", "format_version", "producer", "provenance", "precision", "target", "backends",
                    "inputs", "outputs", "signature", "verification", "facts", "subnets", "choices",
                    "entries", "nondeterministic"});
  Manifest manifest;
  manifest.producer = root.field("producer").text();
  const JsonCursor provenance = root.field("provenance");
  provenance.only_fields({"origin", "model_sha256"});
  manifest.origin = provenance.field("origin").text();
  manifest.model_sha256 = provenance.field("model_sha256").text();
  manifest.precision = root.field("precision").text();
  manifest.target = root.field("target").text();
  read_backends(root.field("backends"), manifest);
  manifest.inputs = ports_of(root.field("inputs"));
  manifest.outputs = ports_of(root.field("outputs"));
  if (const auto signature = root.optional_field("signature")) manifest.signature = signature->boolean();
  if (const auto kept = root.optional_field("verification")) manifest.verification = kept->boolean();
  if (const auto facts = root.optional_field("facts")) read_facts(*facts, manifest);
  read_subnets(root.field("subnets"), manifest);
  check_shared(root.field("subnets"), manifest);
  if (const auto choices = root.optional_field("choices")) read_choices(*choices, manifest);
  read_entries(root.field("entries"), manifest);
  manifest.nondeterministic = texts_of(root.field("nondeterministic"));
  return manifest;
}

// A newer format may have changed anything else, so this is asked first.
Status check_version(const JsonCursor& root, Complaint& complaint) {
  if (root.field("format").text() != "dycl") root.field("format").say("must be 'dycl'");
  const std::int64_t version = root.field("format_version").integer(1);
  if (auto status = complaint.status("package.bad_manifest"); !status) return status;
  if (version > kPackageFormat)
    return package_error("newer_version",
                         fmt::format("the package was made by a newer DyCL (format {}; this one reads {})",
                                     version, kPackageFormat),
                         "update DyCL, or compile the model again with this version");
  return {};
}

// Fills `blobs` and `shared`. `first` tells who has a blob: backend and contents → hash.
void list_blobs(const std::string& hash, const SubnetArtifact& subnet,
                std::map<std::pair<std::string, std::string_view>, std::string>& first,
                ManifestSubnet& facts) {
  for (const auto& [backend, blob] : subnet.blobs) {
    const auto [owner, is_new] = first.try_emplace({backend, blob}, hash);
    if (is_new)
      facts.blobs.push_back(backend);
    else
      facts.shared.emplace(backend, owner->second);
  }
}

}  // namespace

std::string graph_name(std::string_view hash) { return fmt::format("subnets/{}/graph.onnx", hash); }
std::string aten_name(std::string_view hash) { return fmt::format("subnets/{}/aten.json", hash); }
std::string blob_name(std::string_view hash, std::string_view backend) {
  return fmt::format("subnets/{}/{}/blob", hash, backend);
}

bool is_path_word(std::string_view word) {
  return !word.empty() && word.size() <= 128 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<ManifestPort> describe_ports(const HostPlan& plan, const std::vector<PlanPort>& ports) {
  std::vector<ManifestPort> described;
  for (const PlanPort& port : ports)
    described.push_back({port.name, type_text(plan, port.type), port.optional});
  return described;
}

Manifest manifest_of(const Artifact& artifact) {
  Manifest manifest;
  manifest.producer = artifact.producer;
  manifest.origin = artifact.origin;
  manifest.model_sha256 = artifact.model_sha256;
  manifest.precision = artifact.precision;
  manifest.target = artifact.target;
  manifest.backends = artifact.backends;
  manifest.inputs = describe_ports(artifact.plan, artifact.plan.inputs);
  manifest.outputs = describe_ports(artifact.plan, artifact.plan.outputs);
  manifest.signature = !artifact.signature.empty();
  manifest.verification = !artifact.verification.empty();
  manifest.choices = artifact.choices;
  manifest.facts = artifact.facts;
  std::map<std::pair<std::string, std::string_view>, std::string> first;
  for (const auto& [hash, subnet] : artifact.subnets) {
    ManifestSubnet& facts = manifest.subnets[hash];
    facts = {subnet.weights, {}, !subnet.aten.empty()};
    list_blobs(hash, subnet, first, facts);
    for (const std::string& backend : facts.blobs) {
      const auto stamp = artifact.backends.find(backend);
      if (stamp != artifact.backends.end() && !stamp->second.deterministic_blob)
        manifest.nondeterministic.push_back(blob_name(hash, backend));
    }
  }
  return manifest;
}

Result<std::string> write_manifest(const Manifest& manifest) {
  try {
    return document_of(manifest).dump(1) + "\n";
  } catch (const Json::type_error&) {
    // The only way for dump() to fail; the library reports it by an exception alone.
    return package_error("not_utf8", "a name in the model is not UTF-8 text",
                         "rename inputs, outputs, weights or dims with unusual characters");
  }
}

Result<Manifest> read_manifest(std::string_view text) {
  auto document = parse_json(text, kManifestName, limits::kManifestBytes);
  if (!document) return failure_of(std::move(document));
  Complaint complaint(kManifestName);
  const JsonCursor root(*document, "manifest", complaint);
  if (auto status = check_version(root, complaint); !status) return failure_of(std::move(status));
  Manifest manifest = read_fields(root);
  if (auto status = complaint.status("package.bad_manifest"); !status) return failure_of(std::move(status));
  return manifest;
}

}  // namespace dycl
