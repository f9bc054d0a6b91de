// SPDX-License-Identifier: Apache-2.0
// Decides which backends each sub-DNN may run on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"
#include "subnet/subnets.h"

namespace dycl::compile_subnets {

// A rule chooses a backend for the sub-DNNs that its pattern matches: a glob (* and ?) over a sub-DNN's name
// ("s3"), its block ("b2") and the places in the model's source that its operations come from ("model.py:40",
// or the name of a node).
struct PlacementRule {
  std::string pattern;
  std::string backend;
};

class Placement {
 public:
  // The first of the `rules` that matches decides. If none does, `otherwise` decides: a backend (if empty,
  // the first of `known`), "auto" (each of `known` that is installed) or "auto:one,other".
  static Result<Placement> make(std::vector<PlacementRule> rules, const std::string& otherwise,
                                std::vector<std::string> known);

  // Returns all backends that are named. The first one answers questions that come before sub-DNNs are known.
  [[nodiscard]] std::vector<std::string> backends() const;
  // Returns the candidates for a sub-DNN; if there are several, the fastest is taken.
  [[nodiscard]] std::vector<std::string> candidates(const Hcfg& graph,
                                                    const subnet::SubnetInstance& subnet) const;
  // Says whether a backend that is not usable is left out, rather than an error.
  [[nodiscard]] bool is_optional(const std::string& backend) const;

 private:
  std::vector<PlacementRule> rules_;
  std::vector<std::string> otherwise_;
  bool takes_any_ = false;  // whether `otherwise` is auto, without names
};

// Says whether the text has the form of the pattern.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace dycl::compile_subnets
