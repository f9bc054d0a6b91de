// SPDX-License-Identifier: Apache-2.0
// Runs a fragment on the reference backend with made-up values, as a program would run it. So the frontend
// sees whether what it lowered agrees with eager at the sizes that it tries.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hcfg/fragment.h"
#include "subnet/lone_operation.h"

namespace dycl {
class BackendRegistry;
}

namespace dycl::pipeline {

class FragmentTrial {
 public:
  static Result<FragmentTrial> open(BackendRegistry& backends, FragmentPtr fragment);

  [[nodiscard]] const Fragment& fragment() const { return *fragment_; }
  // Takes one tensor per input of the fragment and returns one result per output.
  [[nodiscard]] Result<std::vector<TensorPtr>> run(std::span<const DyclTensor> inputs) const {
    return operation_.run(inputs);
  }

 private:
  FragmentTrial(FragmentPtr fragment, subnet::LoneOperation operation)
      : fragment_(std::move(fragment)), operation_(std::move(operation)) {}

  FragmentPtr fragment_;
  subnet::LoneOperation operation_;
};

}  // namespace dycl::pipeline
