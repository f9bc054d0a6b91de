// SPDX-License-Identifier: Apache-2.0
// A sub-DNN as calls of ATen graphs, for backends that want torch's own operators.
#pragma once

#include <span>
#include <string>

#include "subnet/stamp.h"

namespace dycl::subnet {

// {"inputs":["i0"],"outputs":["v1"],"weights":["w0"],"constants":{"c0":{"type":"f32[2]","hex":"…"}},
//  "fragments":[{the fragments' own JSON}],"calls":[{"fragment":0,"in":["i0","w0"],"out":["v0"]}]}
// Inputs and weights are named and ordered as in the ONNX graph; an output of null is one nobody asked for,
// an input of null one that only such depend on.
// Empty when an operation has no ATen form. The last `guards` outputs of the ONNX graph are not ATen's.
std::string stamp_aten(const Hcfg& graph, const ConstantTable& constants, std::span<const TensorOp> ops,
                       const StampedGraph& stamped, std::size_t guards);

}  // namespace dycl::subnet
