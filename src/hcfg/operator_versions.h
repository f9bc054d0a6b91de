// SPDX-License-Identifier: Apache-2.0
// Which versions each ONNX operator has had, and which of them an operation can be written as.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hcfg/hcfg.h"

namespace dycl {

// The newest operator set of the onnx wheel that DyCL was built with.
std::int64_t newest_opset();

// First operator set that has the version of the operator that `opset` means; nullopt for operators
// that are not ONNX's own (their version is kept as it is).
std::optional<std::int64_t> since_version(std::string_view domain, std::string_view name, std::int64_t opset);

// If, Loop, Scan, SequenceMap: what no sub-DNN may contain.
bool is_control_flow(const OnnxOp& op);

// Operator sets under which an operation, whose version is its since_version, means the same.
struct OpsetRange {
  std::int64_t lowest = 1;
  std::int64_t highest = 0;
};
OpsetRange opsets_of(const OnnxOp& op);

struct OpsetImport {
  std::string domain;
  std::int64_t version = 0;
};

// One operator set per domain that suits all operations; for ONNX's own domain the oldest possible,
// and not above `newest_known` (what the backend reads). Fails naming the operation in the way.
Result<std::vector<OpsetImport>> common_opsets(const Hcfg& graph, std::span<const OnnxOp* const> ops,
                                               std::int64_t newest_known);

}  // namespace dycl
