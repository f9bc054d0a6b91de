// SPDX-License-Identifier: Apache-2.0
// The values that are known at compile time, while constant folding learns more of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/scalar.h"
#include "hcfg/hcfg.h"

namespace dycl::optimize {

class KnownValues {
 public:
  explicit KnownValues(const Hcfg& graph);  // its constants and Const steps

  [[nodiscard]] const std::optional<Scalar>& scalar(ValueId value) const { return scalars_[value.index()]; }
  [[nodiscard]] const TensorPtr& tensor(ValueId value) const { return tensors_[value.index()]; }
  void learn(ValueId value, Scalar scalar) { scalars_[value.index()] = scalar; }
  void learn(ValueId value, TensorPtr tensor) { tensors_[value.index()] = std::move(tensor); }

 private:
  std::vector<std::optional<Scalar>> scalars_;  // per value
  std::vector<TensorPtr> tensors_;              // per value
};

// The number of the edge that a branch or a switch takes when `scalar_of` knows what decides; nullopt when it
// does not, and for terminators that choose nothing.
std::optional<std::size_t> known_choice(const Terminator& terminator,
                                        const std::function<std::optional<Scalar>(ValueId)>& scalar_of);

// Bit by bit: NaN equals itself, -0.0 differs from 0.0.
bool identical(const Scalar& left, const Scalar& right);

}  // namespace dycl::optimize
