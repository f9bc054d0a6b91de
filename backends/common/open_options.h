// SPDX-License-Identifier: Apache-2.0
// The options that a plugin is opened with, and the description that it gives of itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace dycl::plugin {

struct OpenOptions {
  std::string library;
  int threads = 1;  // is at least 1; 0 in the JSON means "as many as there are cores"
  std::string precision = "f32";
};
Result<OpenOptions> parse_open_options(const char* json);

struct Description {
  std::string name;
  std::string version;
  std::string library;
  std::int64_t opset = 0;
  std::int64_t ir_version = 0;
  std::map<std::string, std::string> dtypes;
  std::vector<std::string> notes;
  std::vector<std::string> rewrites;
  std::vector<std::string> checks;
  bool takes_aten = false;
  bool deterministic_blob = true;
  std::int64_t weight_copies = 0;
  bool compiles_apart = false;
  bool remembers = false;
};
std::string to_json(const Description& description);

}  // namespace dycl::plugin
