// SPDX-License-Identifier: Apache-2.0
// Runs a program on one thread's values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "skeleton/program.h"

namespace dycl::skeleton {

class Runner {
 public:
  explicit Runner(std::shared_ptr<const Program> program);
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  struct Value {
    std::vector<std::int64_t> dims;
    const std::byte* data = nullptr;
    std::size_t byte_size = 0;
    std::vector<std::byte> buffer;  // kept between runs, so that a warmed-up run allocates nothing
  };

  Status bind_inputs(std::span<const DyclTensor> inputs);
  Status execute(const Step& step);
  void hand_over(std::size_t value, DyclOutput& output) const;

  std::shared_ptr<const Program> program_;
  std::vector<Value> values_;
};

}  // namespace dycl::skeleton
