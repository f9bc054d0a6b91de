// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/machine.h"
#include "base/sha256.h"

namespace dycl::aot_inductor {
namespace {

constexpr std::string_view kMagic = "dycl aot_inductor 1\n";

Failure broken(std::string_view what) {
  return fail(Blame::Package, "aot_inductor.bad_blob",
              fmt::format("the compiled form of a sub-DNN is damaged: {}", what), {},
              "compile the model again");
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// g++ -march=native may use any of these.
bool is_instruction_set(std::string_view flag) {
  constexpr std::array prefixes{"sse", "ssse",   "avx",  "amx",  "fma", "bmi",    "f16c",    "movbe", "adx",
                                "abm", "popcnt", "gfni", "vaes", "aes", "pclmul", "vpclmul", "sha_ni"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return flag.starts_with(prefix); });
}

std::string version_without_build(const std::string& version) { return version.substr(0, version.find('+')); }

}  // namespace

const std::string& cpu_features() {
  static const std::string features = [] {
    std::string text;
    for (const std::string& flag : processor_features())
      if (is_instruction_set(flag)) text += (text.empty() ? "" : " ") + flag;
    return text;
  }();
  return features;
}

std::string write_blob(const BlobFacts& facts, std::string_view library) {
  const nlohmann::json json{{"torch", facts.torch},
                            {"cpu", facts.cpu},
                            {"structure", facts.structure},
                            {"smallest", facts.smallest},
                            {"sha256", sha256_hex(library)}};
  return fmt::format("{}{}\n{}", kMagic, json.dump(), library);
}

Result<Blob> read_blob(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return broken("it has no heading");
  bytes.remove_prefix(kMagic.size());
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return broken("it has no facts");
  const auto json = nlohmann::json::parse(bytes.substr(0, end), nullptr, false);
  Blob blob;
  blob.library = bytes.substr(end + 1);
  try {
    blob.facts = {json.at("torch"), json.at("cpu"), json.at("structure"), json.at("smallest")};
    blob.sha256 = json.at("sha256");
  } catch (const nlohmann::json::exception&) {
    return broken("a fact is missing");
  }
  if (sha256_hex(blob.library) != blob.sha256) return broken("the library has other contents than it had");
  return blob;
}

Status check_facts(const BlobFacts& facts, const std::string& torch, const std::string& structure) {
  if (facts.structure != structure) return broken("the library belongs to another sub-DNN");
  if (version_without_build(facts.torch) != version_without_build(torch))
    return fail(Blame::Backend, "aot_inductor.torch_version",
                fmt::format("it was compiled with torch {}, and torch {} is installed", facts.torch, torch),
                {}, "install the torch that compiled it, or compile the model again");
  const std::set<std::string> here = words_of(cpu_features());
  std::string missing;
  for (const std::string& feature : words_of(facts.cpu))
    if (!here.contains(feature)) missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty()) return {};
  return fail(Blame::Backend, "aot_inductor.other_cpu",
              fmt::format("it was compiled for a processor with {}, which this one lacks", missing), {},
              "compile the model on the machine that runs it");
}

}  // namespace dycl::aot_inductor
