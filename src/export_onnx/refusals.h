// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "hcfg/control_flow.h"

namespace dycl::export_onnx {

// What stands at this place in the user's model has no ONNX form.
Failure refused(const Hcfg& graph, SourceId source, std::string code, std::string message, std::string hint);

// What no ONNX file can say: exceptions, strings, sequences of sequences, and host operations that have no
// exact form. The first one, with its position in the user's model.
Status refuse_inexpressible(const Hcfg& graph, const ControlFlow& flow);

// What raises in a graph whose outputs are lists: nothing that the file gives could fail with it.
Failure refuse_hidden_failure(const Hcfg& graph, SourceId raises);

}  // namespace dycl::export_onnx
