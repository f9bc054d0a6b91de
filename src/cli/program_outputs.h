// SPDX-License-Identifier: Apache-2.0
// Writes what a program returned, for people and for .npz files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/npz.h"
#include "runtime/named_outputs.h"

namespace dycl::cli {

// Writes "y: f32[2] = [1, 2]"; a sequence takes a line per element.
std::string value_text(std::string_view name, const runtime::RuntimeValue& value);

// Adds the value's tensors: a sequence's element i is "name.i", an empty optional adds nothing.
void append_tensors(std::string_view name, const runtime::RuntimeValue& value, NamedTensors& tensors);

// Returns [{"name":"y","value":"f32[2]"}]; a scalar or text has its "text", too.
nlohmann::json outputs_json(const std::vector<runtime::NamedOutput>& outputs);

}  // namespace dycl::cli
