// SPDX-License-Identifier: Apache-2.0
// Why a plugin will not have a graph.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dycl::plugin {

struct Refusal {
  std::string reason;
  std::optional<std::size_t> node = {};  // its place in the graph; nullopt: no node alone is to blame
};

}  // namespace dycl::plugin
