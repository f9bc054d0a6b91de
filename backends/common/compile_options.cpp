// SPDX-License-Identifier: Apache-2.0
#include "common/compile_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dycl::plugin {

Result<CompileOptions> parse_compile_options(const char* text) {
  CompileOptions options;
  if (text == nullptr) return options;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto bad = fail(Blame::Usage, "backend.bad_options", "the options for compiling are wrong");
  if (!json.is_object()) return bad;
  if (json.contains("cache") && !json["cache"].is_string()) return bad;
  if (json.contains("jobs") && !json["jobs"].is_number_integer()) return bad;
  options.cache = json.value("cache", std::string());
  options.jobs = static_cast<int>(std::clamp<std::int64_t>(json.value("jobs", std::int64_t{0}), 0, 1024));
  return options;
}

}  // namespace dycl::plugin
