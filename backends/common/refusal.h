// SPDX-License-Identifier: Apache-2.0
// Why a plugin refuses a graph.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dycl::plugin {

struct Refusal {
  std::string reason;
  std::optional<std::size_t> node = {};  // its index in the graph; nullopt if no single node is to blame
};

}  // namespace dycl::plugin
