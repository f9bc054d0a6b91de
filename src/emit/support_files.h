// SPDX-License-Identifier: Apache-2.0
// The headers that are copied beside every emitted program. The build makes their texts part of the library.
#pragma once

#include <string_view>
#include <vector>

namespace dycl::emit {

struct SupportFile {
  std::string_view path;  // "host_rules/floats.h", "emitted/session.h"
  std::string_view text;
};

const std::vector<SupportFile>& support_files();

}  // namespace dycl::emit
