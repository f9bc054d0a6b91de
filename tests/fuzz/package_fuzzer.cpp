// SPDX-License-Identifier: Apache-2.0
// Any bytes as a package; inputs that are no zip go to the readers of its parts. Half of the mutations
// change one entry of a package and make its checksums right again, so that they get past the hashes.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "package/entry.h"
#include "package/graph_outline.h"
#include "package/manifest.h"
#include "package/package_file.h"
#include "package/safetensors.h"
#include "package/zip_reader.h"
#include "package/zip_writer.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;

// The package once more, with the manifest's sizes and hashes made true if it can still be read.
std::string repacked(Parts parts) {
  nlohmann::json manifest = nlohmann::json::parse(parts[0].second, nullptr, false);
  if (manifest.is_object() && manifest.contains("entries") && manifest["entries"].is_object()) {
    for (const auto& [name, contents] : parts)
      if (manifest["entries"].contains(name))
        manifest["entries"][name] = {{"size", contents.size()}, {"sha256", dycl::sha256_hex(contents)}};
    parts[0].second = manifest.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::vector<dycl::ZipSource> sources;
  for (const auto& [name, contents] : parts) sources.push_back({name, {dycl::bytes_of(contents)}});
  std::string bytes;
  const dycl::Status written =
      dycl::write_zip(sources, [&](std::span<const std::byte> piece) -> dycl::Status {
        bytes += dycl::text_of(piece);
        return {};
      });
  return written ? bytes : std::string();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto entries = dycl::read_zip(dycl::bytes_of(input), nullptr);
  if (!entries || entries->empty() || seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Parts parts;
  for (const dycl::PackageEntry& entry : *entries) parts.emplace_back(entry.name, dycl::text_of(entry.bytes));
  std::string& chosen = parts[seed / 2 % parts.size()].second;
  const std::size_t before = chosen.size();
  chosen.resize(before + 64);
  chosen.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(chosen.data()), before, chosen.size()));
  const std::string bytes = repacked(std::move(parts));
  if (bytes.empty() || bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Like a file that was read: the start is aligned.
  const auto owner = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  const std::span<const std::byte> bytes = dycl::bytes_of(*owner);
  if (owner->starts_with("PK")) {
    const auto artifact = dycl::read_package_bytes(bytes, owner);
    if (artifact && !dycl::verify_artifact(**artifact)) std::abort();
    if (!artifact && artifact.error().blame != dycl::Blame::Package) std::abort();
  } else if (owner->starts_with("{")) {
    static_cast<void>(dycl::read_manifest(*owner));
  } else {
    static_cast<void>(dycl::read_safetensors(bytes, owner));
    static_cast<void>(dycl::outline_graph(*owner));
  }
  return 0;
}
