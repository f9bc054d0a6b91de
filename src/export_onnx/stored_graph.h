// SPDX-License-Identifier: Apache-2.0
// The graph of a compiled program, read back out of it.
#pragma once

#include "base/result.h"
#include "hcfg/hcfg.h"
#include "package/artifact.h"

namespace dycl::export_onnx {

// The optimized graph that the artifact was made from, with its weights and its positions in the user's
// model.
Result<Hcfg> graph_of(const Artifact& artifact);

}  // namespace dycl::export_onnx
