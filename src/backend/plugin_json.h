// SPDX-License-Identifier: Apache-2.0
// Reads the JSON that plugins send. Whatever a plugin sends, the answer is a value or a diagnostic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace dycl {

// Reads the text of a plugin's error, plain or as JSON.
struct PluginError {
  std::string message;
  std::string code;
  std::string hint;
};
PluginError parse_error(std::string_view text);

std::string to_json(const BackendOptions& options);
Result<BackendTraits> parse_traits(std::string_view json);
Result<BackendDescription> parse_description(std::string_view json);
Result<std::vector<InferredType>> parse_inferred_types(std::string_view json);

}  // namespace dycl
