// SPDX-License-Identifier: Apache-2.0
// The graph as one ONNX model: branches become If, cycles Loop, host operations ONNX operators. Any ONNX
// runtime can run it, and import_onnx reads it back to the same behaviour.
#pragma once

#include <memory>

#include "base/result.h"
#include "hcfg/hcfg.h"
#include "onnx_ml.pb.h"

namespace dycl::export_onnx {

// The graph must verify. What ONNX cannot say is refused with a code "export.…" and its position in the
// user's model; where the program would raise inside an operation (a division by zero, a sum beyond 64
// bits), the file fails at run time.
Result<std::unique_ptr<onnx::ModelProto>> export_onnx(const Hcfg& graph);

}  // namespace dycl::export_onnx
