// SPDX-License-Identifier: Apache-2.0
// Cutting and joining compile-time tensors of any element type. Plain rather than fast.
#pragma once

#include <span>

#include "base/tensor_data.h"

namespace dycl {

// A negative axis counts from the end; out of range raises an IndexError.
Result<std::size_t> checked_axis(std::int64_t axis, std::size_t rank);

// `size` places along `axis` from `begin` on; they must exist.
Result<TensorData> slice_axis(const TensorData& tensor, std::size_t axis, std::int64_t begin,
                              std::int64_t size);

// At least one tensor. Other sizes than the axis's, or element types, that differ raise a ValueError.
Result<TensorData> join_axis(std::span<const TensorPtr> tensors, std::size_t axis);

// The same elements under other sizes: -1 for the one that follows, 0 to copy the input's.
Result<TensorData> view_as(const TensorData& tensor, std::span<const std::int64_t> sizes);

}  // namespace dycl
