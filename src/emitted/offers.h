// SPDX-License-Identifier: Apache-2.0
// Fills in what a sub-DNN is called with, and reads what it leaves there.
#pragma once

#include <dycl/tensors.h>

#include <algorithm>
#include <cstdint>

#include "emitted/operands.h"
#include "emitted/tables.h"

namespace dycl::emitted {

inline void read_from(dycl_kernel_input& input, const Operand& operand) {
  input.data = operand.data;
  if (operand.tensor == nullptr) return;
  input.rank = static_cast<std::int32_t>(operand.tensor->dims.size());
  input.dims = operand.tensor->dims.data();
  input.byte_size = operand.tensor->bytes;
}

inline void offer(dycl_kernel_output& output, void* buffer) {
  output.buffer = buffer;
  output.data = nullptr;
  output.byte_size = 0;
  output.owner = nullptr;
  output.release = nullptr;
}

inline bool is_as_offered(const dycl_kernel_output& output, const TensorType& type) {
  return output.dtype == type.dtype && output.rank == type.rank && output.byte_size == type.bytes &&
         std::equal(type.dims, type.dims + type.rank, output.dims);
}

inline void give_back(dycl_kernel_output& output) {
  if (output.owner != nullptr && output.release != nullptr) output.release(output.owner);
  output.owner = nullptr;
}

}  // namespace dycl::emitted
