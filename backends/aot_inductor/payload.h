// SPDX-License-Identifier: Apache-2.0
// A sub-DNN as the worker compiles it: its ATen calls with the types of everything that it is fed with, and
// without the contents of weights. Sub-DNNs that differ in weights only have equal structures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::aot_inductor {

struct PortSize {
  std::int64_t fixed = -1;
  std::size_t symbol = 0;  // where not fixed: equal numbers are equal sizes
};
struct Port {
  std::string name;
  DType dtype = DType::F32;
  std::vector<PortSize> sizes;
};

struct Payload {
  std::string structure;            // JSON for the worker (backends/aot_inductor/dycl_inductor/rebuild.py)
  std::vector<Port> inputs;         // that the caller gives
  std::size_t symbols = 0;          // of the inputs' sizes
  std::vector<TensorData> outside;  // small constants that are fed beside the weights
  std::size_t output_count = 0;
};

// Where integer constants go. Outside, sub-DNNs that differ in an index share a library; if one of the
// constants decides a size, the worker asks for them inside.
enum class Integers { Outside, Inside };

// Makes the payload. Fails with Blame::Unsupported if this backend cannot take the graph; the message is the
// reason.
Result<Payload> read_payload(const DyclGraph& graph, Integers integers = Integers::Outside);

}  // namespace dycl::aot_inductor
