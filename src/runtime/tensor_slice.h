// SPDX-License-Identifier: Apache-2.0
// Cuts tensors along one axis and concatenates them, for every element type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/buffer_pool.h"
#include "runtime/value.h"

namespace dycl::runtime {

// Resolves an axis; a negative one counts from the end. Returns nullopt if it is out of range.
std::optional<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank);
Failure axis_error(std::int64_t axis, const RuntimeTensor& tensor);

struct AxisPart {
  std::size_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

// Returns a view of the tensor's memory if the part is contiguous there, else a copy. The part must lie
// within the axis.
RuntimeTensor slice(const RuntimeTensor& tensor, AxisPart part, BufferPool& pool);

// The first drops an axis of size 1, the second adds one.
void remove_axis(RuntimeTensor& tensor, std::size_t axis);
void add_axis(RuntimeTensor& tensor, std::size_t axis);

// Concatenates tensors along `axis`. They must agree in dtype, rank and all other sizes. Throws
// std::bad_alloc if the result exceeds the address space.
RuntimeTensor concatenate(std::span<const RuntimeValue> tensors, std::size_t axis, bool new_axis,
                          BufferPool& pool);

// Makes a tensor without elements.
RuntimeTensor empty_tensor(DType dtype, const InlineDims& dims, BufferPool& pool);

}  // namespace dycl::runtime
