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
  bool sources = false;           // positions in the user's model: a table, and "at s3" behind operations
};

std::string print(const Hcfg& graph, const PrintOptions& options = {});

// The key under which a constant too big to print is named: sha256 of its bytes. Type and sizes are
// in the text, so tensors of equal bytes share one.
std::string constant_key(const TensorData& tensor);

// `constant_of` gives the contents of a constant that was printed by key (constant_key); only
// the bytes of its answer count, nullptr is an error. Errors are Blame::Usage, code "hcfg.parse", with
// line and column. The result has ids in range, each value defined once; verify() checks the rest.
using ConstantSource = std::function<TensorPtr(std::string_view key)>;
Result<Hcfg> parse_hcfg(std::string_view text, const ConstantSource& constant_of = {});

}  // namespace dycl
