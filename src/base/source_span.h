// SPDX-License-Identifier: Apache-2.0
// Where in the user's model something came from.
#pragma once

#include <cstdint>
#include <string>

namespace dycl {

// A Python position has file, line and column. An ONNX position has file and `node`, the path of
// graph and node names that leads to the node ("main/loop_body/add_1 (Add)").
struct SourceSpan {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string node;

  [[nodiscard]] bool known() const { return !file.empty() || !node.empty(); }
  bool operator==(const SourceSpan&) const = default;
};

// Returns "model.py:12:7", "model.onnx: main/loop_body/add_1 (Add)", or "" if nothing is known.
std::string to_string(const SourceSpan& span);

}  // namespace dycl
