// SPDX-License-Identifier: Apache-2.0
// Which backends each sub-DNN may run on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"
#include "subnet/subnets.h"

namespace dycl::compile_subnets {

// A glob (* and ?) over a sub-DNN's name ("s3"), its block ("b2") and the places in the model's source that
// its operations come from ("model.py:40", or the name of a node).
struct PlacementRule {
  std::string pattern;
  std::string backend;
};

class Placement {
 public:
  // `otherwise` is a backend (empty: the first of `known`), "auto" (each of `known` that is there) or
  // "auto:one,other"; `rules` come before it, the first that matches decides.
  static Result<Placement> make(std::vector<PlacementRule> rules, const std::string& otherwise,
                                std::vector<std::string> known);

  // All that are named; the first is asked what backends are asked before sub-DNNs are known.
  [[nodiscard]] std::vector<std::string> backends() const;
  // Several: the fastest is taken.
  [[nodiscard]] std::vector<std::string> candidates(const Hcfg& graph,
                                                    const subnet::SubnetInstance& subnet) const;
  // Backends of which one that is not usable is left out, rather than refused.
  [[nodiscard]] bool is_optional(const std::string& backend) const;

 private:
  std::vector<PlacementRule> rules_;
  std::vector<std::string> otherwise_;
  bool takes_any_ = false;  // `otherwise` is auto, without names
};

// Whether the text is of that form.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace dycl::compile_subnets
