// SPDX-License-Identifier: Apache-2.0
// Who makes and who reads the values of a sub-DNN, as it was before any rule.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl::legalize {

class SubnetFacts {
 public:
  // Keeps pointers to the operations. `results` are what leaves the sub-DNN.
  SubnetFacts(std::span<const OnnxOp> ops, std::span<const ValueId> results);

  // Null: the value comes from outside, or another domain's operation makes it.
  [[nodiscard]] const OnnxOp* producer(ValueId value) const;
  [[nodiscard]] std::span<const OnnxOp* const> readers(ValueId value) const;
  [[nodiscard]] bool leaves(ValueId value) const { return results_.contains(value); }
  // Do the traits of the operators that make it say that no element is -inf?
  [[nodiscard]] bool is_bounded_below(ValueId value) const { return bounded_.contains(value); }

 private:
  void add(const OnnxOp& op);
  [[nodiscard]] bool gives_bounded(const OnnxOp& op) const;

  std::unordered_map<ValueId, const OnnxOp*> producers_;
  std::unordered_map<ValueId, std::vector<const OnnxOp*>> readers_;
  std::unordered_set<ValueId> results_;
  std::unordered_set<ValueId> bounded_;
};

}  // namespace dycl::legalize
