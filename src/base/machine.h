// SPDX-License-Identifier: Apache-2.0
// What results that are remembered on disk depend on beside their inputs: the processor, and files.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace dycl {

// What the processor can do ("avx2", "sse4_1" …); two machines may share a home folder.
const std::set<std::string>& processor_features();

// Changes when the file does: its path, size and time. "none" for no path.
std::string identity_of(const std::filesystem::path& file);

}  // namespace dycl
