// SPDX-License-Identifier: Apache-2.0
// The sub-DNN calls of a program without our executor: each bound once to memory of its own and then
// run in order. What remains is the backend's own time.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "runtime/program.h"

namespace dycl::bench {

class DirectCalls {
 public:
  // Every call of the plan, once, in the plan's order. Shapes must be static.
  static Result<DirectCalls> bind(const runtime::LoadedProgram& program);

  void run();
  [[nodiscard]] std::size_t size() const { return calls_.size(); }

 private:
  struct Bound {
    std::shared_ptr<const BackendExecutable> executable;
    std::vector<std::vector<std::int64_t>> dims;
    std::vector<std::vector<std::byte>> memory;
    std::vector<DyclTensor> inputs;
    std::vector<DyclOutput> outputs;
    std::unique_ptr<BackendCall> call;
  };

  static Status bind_slots(const HostPlan& plan, const PlanCall& call, Bound& bound);

  std::vector<std::unique_ptr<Bound>> calls_;
};

// Sizes and bytes of a static tensor type; fails for anything else.
struct StaticShape {
  std::vector<std::int64_t> dims;
  std::size_t byte_size = 0;
};
Result<StaticShape> static_shape(const Type& type);

}  // namespace dycl::bench
