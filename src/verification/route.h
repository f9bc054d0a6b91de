// SPDX-License-Identifier: Apache-2.0
// Leads an interpreted run over an edge that no input takes.
#pragma once

#include <vector>

#include "hcfg/control_flow.h"

namespace dycl::verification {

// Follows what the run decides for as long as the goal can still be reached, then the shortest way there.
// Behind the goal the run's own decisions count again.
class Route {
 public:
  Route(const Hcfg& graph, EdgeId goal);

  // Returns the edge to take instead of `decided`.
  EdgeId take(EdgeId decided);
  [[nodiscard]] bool has_arrived() const { return arrived_; }
  [[nodiscard]] bool has_forced() const { return forced_; }

 private:
  [[nodiscard]] std::size_t distance_behind(EdgeId edge) const;

  const Hcfg& graph_;
  EdgeId goal_;
  std::vector<std::size_t> distances_;  // by block: edges up to the goal's block
  bool forced_ = false;
  bool arrived_ = false;
};

}  // namespace dycl::verification
