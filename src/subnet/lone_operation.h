// SPDX-License-Identifier: Apache-2.0
// One operation as a graph of its own: legalized, stamped, and loaded by a backend.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "hcfg/hcfg.h"
#include "legalize/guard.h"

namespace dycl::subnet {

// What a backend gave, with its memory.
Result<TensorPtr> tensor_of(const DyclOutput& output);

class LoneOperation {
 public:
  using Executable = std::shared_ptr<const BackendExecutable>;
  using LoadGraph = std::function<Result<Executable>(const std::string& onnx)>;

  // The operation is legalized, so that what would raise, or kill the process, is a failure of run(). The
  // types of its inputs are the graph's; values and constants are added to the graph.
  static Result<LoneOperation> make(Hcfg& graph, TensorOp op, const BackendDescription& backend,
                                    const LoadGraph& load);

  // One tensor per input of the operation; what stands where an input is left out is not read. One result per
  // output, nullptr where that is left out.
  [[nodiscard]] Result<std::vector<TensorPtr>> run(std::span<const DyclTensor> inputs) const;

 private:
  LoneOperation() = default;
  [[nodiscard]] Result<std::vector<TensorPtr>> results_of(std::span<const DyclOutput> outputs) const;

  TensorOp op_;
  Executable executable_;
  std::vector<std::size_t> inputs_;      // of the operation, in the executable's order
  std::vector<legalize::Guard> guards_;  // the executable's last outputs
};

}  // namespace dycl::subnet
