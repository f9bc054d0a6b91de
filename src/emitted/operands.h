// SPDX-License-Identifier: Apache-2.0
// What goes into a sub-DNN, and where its results shall lie.
#pragma once

#include "emitted/dims.h"
#include "emitted/tensor.h"

namespace dycl::emitted {

// What a sub-DNN reads: the address of a tensor with known sizes, or a value.
struct Operand {
  Operand(const void* address) : data(address) {}
  Operand(const Tensor& value) : data(value.data), tensor(&value) {}
  const void* data;
  const Tensor* tensor = nullptr;
};

// What a sub-DNN makes: a tensor in the given memory, or a value whose sizes are known as far as they are not
// negative.
struct Wanted {
  Wanted(const void* buffer) : memory(const_cast<void*>(buffer)) {}
  Wanted(const Dims& sizes) : dims(sizes), has_rank(true) {}
  Wanted() = default;
  void* memory = nullptr;
  Dims dims;
  bool has_rank = false;
};
inline Wanted any_sizes() { return {}; }

}  // namespace dycl::emitted
