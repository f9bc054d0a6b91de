// SPDX-License-Identifier: Apache-2.0
#include "tvm/blob.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/machine.h"

namespace dycl::tvm {
namespace {

using Json = nlohmann::json;

constexpr std::string_view magic = "dycl-tvm";

Failure damaged() {
  return fail(Blame::Package, "tvm.damaged_blob", "the compiled form of a sub-DNN is damaged", {},
              "compile the program again");
}

bool is_list_of_texts(const Json& json) {
  if (!json.is_array()) return false;
  for (const Json& entry : json)
    if (!entry.is_string()) return false;
  return true;
}

}  // namespace

std::string write_blob(const Blob& blob) {
  const std::string head =
      Json{{"version", blob.version}, {"features", blob.features}, {"weights", blob.weights}}.dump();
  const auto size = static_cast<std::uint32_t>(head.size());
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += head;
  bytes += blob.library;
  return bytes;
}

Result<Blob> read_blob(std::string_view bytes) {
  std::uint32_t size = 0;
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + sizeof size) return damaged();
  bytes.remove_prefix(magic.size());
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() < size) return damaged();
  const Json head = Json::parse(bytes.substr(0, size), nullptr, false);
  if (!head.is_object() || !head.contains("version") || !head["version"].is_string()) return damaged();
  if (!head.contains("features") || !head.contains("weights")) return damaged();
  if (!is_list_of_texts(head["features"]) || !is_list_of_texts(head["weights"])) return damaged();
  return Blob{head["version"].get<std::string>(), head["features"].get<std::vector<std::string>>(),
              head["weights"].get<std::vector<std::string>>(), bytes.substr(size)};
}

Status check_processor(const Blob& blob) {
  const std::set<std::string>& here = processor_features();
  if (here.empty())
    return fail(Blame::Backend, "tvm.unknown_processor", "what the processor can do is not known", {},
                "mount /proc: the features are read from /proc/cpuinfo");
  for (const std::string& feature : blob.features)
    if (!here.contains(feature))
      return fail(
          Blame::Backend, "tvm.other_processor",
          fmt::format("the sub-DNN was compiled for a processor with {}, which this one lacks", feature), {},
          "compile the program on the machine that runs it");
  return {};
}

}  // namespace dycl::tvm
