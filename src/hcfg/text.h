// SPDX-License-Identifier: Apache-2.0
// The graph as text: print(parse(text)) == text, and parse(print(graph)) is the same graph.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

struct PrintOptions {
  std::size_t inline_bytes = 64;  // constants up to this size are printed whole, others by key
  bool sources = false;           // "// model.onnx: main/add_1 (Add)" behind operations
};

std::string print(const Hcfg& graph, const PrintOptions& options = {});

// `constant_of` gives the contents of a constant that was printed by key (sha256 of its contents).
using ConstantSource = std::function<TensorPtr(std::string_view key)>;
Result<Hcfg> parse_hcfg(std::string_view text, const ConstantSource& constant_of = {});

}  // namespace dycl
