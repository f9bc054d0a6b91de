// SPDX-License-Identifier: Apache-2.0
// Sizes and strides of tensors, computed.
#pragma once

#include <array>
#include <span>

#include "partial_eval/values/protocol.h"

namespace dycl::partial_eval {

// Returns the strides of elements that lie in order. Throws std::overflow_error, as all arithmetic of sizes
// does.
protocol::Sizes contiguous_stride(const protocol::Sizes& shape);

// The strides lie alike; those over a size of 1 count for nothing.
bool have_one_layout(std::span<const protocol::SpecPtr> specs);
inline bool have_one_layout(const protocol::SpecPtr& one, const protocol::SpecPtr& other) {
  return have_one_layout(std::array{one, other});
}

// Several elements are one place in memory, as expand() makes them.
bool repeats_elements(const protocol::TensorSpec& spec);

// Returns the layout with other sizes in the place of symbols.
protocol::Layout substituted(const protocol::TensorSpec& spec, const SizeValues& values);

// Each once: those of the first size by their numbers, then those of the next.
std::vector<SizeSymbolPtr> symbols_of_all(const protocol::Sizes& sizes);

nb::tuple tuple_of(const protocol::Sizes& sizes);

}  // namespace dycl::partial_eval
