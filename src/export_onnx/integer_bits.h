// SPDX-License-Identifier: Apache-2.0
// How large whole numbers of a graph can get: where a sum cannot leave 64 bits, no check is written.
#pragma once

#include <optional>
#include <vector>

#include "hcfg/uses.h"

namespace dycl::export_onnx {

class IntegerBits {
 public:
  IntegerBits(const Hcfg& graph, const UseTable& uses);

  // The magnitude is below 2^bits; 64 when nothing is known.
  [[nodiscard]] int bits(ValueId value);
  [[nodiscard]] std::optional<std::int64_t> constant(ValueId value) const;

 private:
  int of_step(const HostStep& step);
  int of_parameter(ValueId value, const Definition& definition);
  [[nodiscard]] const HostStep* step_of(ValueId value) const;
  [[nodiscard]] bool counts_on(ValueId argument, ValueId parameter);

  const Hcfg& graph_;
  const UseTable& uses_;
  ControlFlow flow_;
  std::vector<int> known_;  // by value; 0: not asked, -1: being answered
};

}  // namespace dycl::export_onnx
