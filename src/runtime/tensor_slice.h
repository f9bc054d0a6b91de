// SPDX-License-Identifier: Apache-2.0
// Parts of tensors along one axis: cut out and put together, for every element type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/buffer_pool.h"
#include "runtime/value.h"

namespace dycl::runtime {

// A negative axis counts from the end; nullopt when it is out of range.
std::optional<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank);
Failure axis_error(std::int64_t axis, const RuntimeTensor& tensor);

struct AxisPart {
  std::size_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

// A view of the tensor's memory where the part is contiguous there, else a copy. The part must lie
// within the axis.
RuntimeTensor slice(const RuntimeTensor& tensor, AxisPart part, BufferPool& pool);

// Drops an axis of size 1; adds one.
void remove_axis(RuntimeTensor& tensor, std::size_t axis);
void add_axis(RuntimeTensor& tensor, std::size_t axis);

// The tensors one after another along `axis`. They must agree in dtype, rank and all other sizes.
// Throws std::bad_alloc when the result exceeds the address space.
RuntimeTensor concatenate(std::span<const RuntimeValue> tensors, std::size_t axis, bool new_axis,
                          BufferPool& pool);

// A tensor of zero elements.
RuntimeTensor empty_tensor(DType dtype, const InlineDims& dims, BufferPool& pool);

}  // namespace dycl::runtime
