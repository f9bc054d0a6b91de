// SPDX-License-Identifier: Apache-2.0
// Describes the processor and files, on which cached results depend as well as on their inputs.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace dycl {

// Returns the processor's instruction sets ("avx2", "sse4_1" …), because two machines may share a home
// folder.
const std::set<std::string>& processor_features();

// Returns a text that changes when the file does: its path, size and time; "none" for no path.
std::string identity_of(const std::filesystem::path& file);

}  // namespace dycl
