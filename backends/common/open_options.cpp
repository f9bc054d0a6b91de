// SPDX-License-Identifier: Apache-2.0
#include "common/open_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

namespace dycl::plugin {

Result<OpenOptions> parse_open_options(const char* json) {
  const auto bad = [](std::string what) {
    return fail(Blame::Usage, "backend.bad_options", "the backend's options are wrong: " + what);
  };
  const auto parsed = nlohmann::json::parse(json == nullptr ? "" : json, nullptr, false);
  if (!parsed.is_object()) return bad("not a JSON object");
  OpenOptions options;
  const auto library = parsed.find("library");
  const auto threads = parsed.find("threads");
  const auto precision = parsed.find("precision");
  if (library != parsed.end() && !library->is_string()) return bad("\"library\" is not a text");
  if (threads != parsed.end() && !threads->is_number_integer()) return bad("\"threads\" is not a number");
  if (precision != parsed.end() && !precision->is_string()) return bad("\"precision\" is not a text");
  if (library != parsed.end()) options.library = library->get<std::string>();
  if (precision != parsed.end()) options.precision = precision->get<std::string>();
  const std::int64_t asked = threads != parsed.end() ? threads->get<std::int64_t>() : 0;
  if (asked < 0 || asked > 4096) return bad("\"threads\" must lie between 0 and 4096");
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  options.threads = static_cast<int>(std::max<std::int64_t>(1, asked == 0 ? cores : asked));
  return options;
}

std::string to_json(const Description& description) {
  const nlohmann::json json{
      {"name", description.name},
      {"version", description.version},
      {"library", description.library},
      {"opset", description.opset},
      {"ir_version", description.ir_version},
      {"dtypes", description.dtypes},
      {"notes", description.notes},
      {"rewrites", description.rewrites},
      {"checks", description.checks},
      {"takes_aten", description.takes_aten},
      {"deterministic_blob", description.deterministic_blob},
      {"weight_copies", description.weight_copies},
      {"compiles_apart", description.compiles_apart},
      {"remembers", description.remembers},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace dycl::plugin
