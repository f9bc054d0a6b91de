// SPDX-License-Identifier: Apache-2.0
// Describes a compiled program for people and machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "package/artifact.h"

namespace dycl::cli {

// Returns "12 blocks, 7 sub-DNNs (5 distinct), 3.1 MB of weights, onnxruntime 1.31.1".
std::string one_line(const Artifact& artifact);

// These describe inputs, outputs, blocks, sub-DNNs with operators and sizes, backends and weights.
std::string artifact_text(const Artifact& artifact);
nlohmann::json artifact_json(const Artifact& artifact);

}  // namespace dycl::cli
