// SPDX-License-Identifier: Apache-2.0
// What the package reader must know of a sub-DNN's graph.onnx. Reading it needs no protobuf library, and a
// hostile graph reaches little code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl {

struct GraphPort {
  std::string name;
  std::int64_t dtype = 0;  // ONNX number; 0: the graph does not say
};

struct GraphWeight {
  std::string name;
  std::int64_t dtype = 0;
  std::vector<std::int64_t> dims;
};

struct GraphOutline {
  std::vector<GraphPort> inputs;
  std::vector<GraphPort> outputs;
  std::vector<GraphWeight> weights;  // external initializers, in order
  std::size_t inline_bytes = 0;      // the size of the other initializers, which lie in the graph
};

// Refuses (Blame::Package) what may not be in a sub-DNN: control flow, subgraphs in attributes,
// model-local functions, external data other than the package's weights, nodes out of order (which
// is how a reference cycle looks), names defined twice or never.
Result<GraphOutline> outline_graph(std::string_view onnx);

}  // namespace dycl
