// SPDX-License-Identifier: Apache-2.0
// A question as DyCL would hand it to the backend: with the rules applied that serve the hazards it declares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "legalize/guard.h"
#include "onnx_ml.pb.h"

namespace dycl::conformance {

struct LegalForm {
  BackendGraph graph;
  std::vector<std::size_t> inputs;      // of the model, by the graph's own
  std::vector<std::size_t> outputs;     // of the graph, by the model's
  std::vector<legalize::Guard> guards;  // the graph's last outputs
};

Result<LegalForm> legal_form(const onnx::ModelProto& model, const BackendDescription& backend,
                             std::shared_ptr<const Backend> typing);

}  // namespace dycl::conformance
