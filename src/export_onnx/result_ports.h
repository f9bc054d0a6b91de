// SPDX-License-Identifier: Apache-2.0
// The outputs of the file: what every return of the graph gives, flat.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/scalar.h"
#include "hcfg/control_flow.h"

namespace dycl::export_onnx {

struct ResultPort {
  std::string name;  // the path in the returned structure: "logits", "0", "1.x"; "result" for the whole
  Type type;         // sizes that differ between returns have no symbol
};

using ReturnedValue = std::variant<ValueId, Scalar>;

struct ResultPorts {
  std::vector<ResultPort> ports;
  std::map<BlockId, std::vector<ReturnedValue>> returns;  // by returning block, one per port

  // The first port that is a number or a tensor.
  [[nodiscard]] std::optional<std::size_t> number_or_tensor() const;
};

// Fails when returns differ in what they give; None is left out where all give it.
Result<ResultPorts> result_ports(const Hcfg& graph, const ControlFlow& flow);

}  // namespace dycl::export_onnx
