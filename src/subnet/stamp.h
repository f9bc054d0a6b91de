// SPDX-License-Identifier: Apache-2.0
// A group of tensor operations as the ONNX graph that a backend compiles. Names inside are canonical
// (by position), so sub-DNNs that are equal in structure are equal byte for byte.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/constant_table.h"
#include "hcfg/hcfg.h"
#include "legalize/legalize.h"

namespace dycl::subnet {

struct StampOptions {
  std::int64_t newest_opset = 0;  // that the backend reads
  std::int64_t ir_version = 10;
  std::size_t inline_bytes = 1024;  // larger constants stay outside, as weights
  bool weights_as_inputs = false;   // declare them as typed inputs: enough for type inference
  bool declare_types = false;       // say the element types of results: those of the graph are settled
};

struct StampedGraph {
  std::string onnx;             // ModelProto bytes
  std::vector<ValueId> inputs;  // of the graph, in order
  std::vector<ValueId> outputs;
  std::vector<ValueId> weights;   // constants that the graph names "w0", "w1", …
  std::vector<SymbolId> symbols;  // the graph's dim_param "d0", "d1", … in order
  std::vector<SourceId> sources;  // of the graph's nodes, in order
};

// `outputs` are values that `ops` define. Fails when no operator set suits all operations.
Result<StampedGraph> stamp(const Hcfg& graph, const ConstantTable& constants, std::span<const OnnxOp> ops,
                           std::span<const ValueId> outputs, const StampOptions& options);

// A legalized sub-DNN; the flags of its guards are the last outputs.
Result<StampedGraph> stamp(const Hcfg& graph, const ConstantTable& constants,
                           const legalize::LegalSubnet& subnet, const StampOptions& options);

}  // namespace dycl::subnet
