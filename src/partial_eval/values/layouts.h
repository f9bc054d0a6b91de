// SPDX-License-Identifier: Apache-2.0
// Sizes and strides of tensors, computed.
#pragma once

#include "partial_eval/values/protocol.h"

namespace dycl::partial_eval {

// Throws std::overflow_error, as all arithmetic of sizes does.
protocol::Sizes contiguous_stride(const protocol::Sizes& shape);

// With other sizes in the place of symbols.
protocol::Layout substituted(const protocol::TensorSpec& spec, const SizeValues& values);

// Each once: those of the first size by their numbers, then those of the next.
std::vector<SizeSymbolPtr> symbols_of_all(const protocol::Sizes& sizes);

nb::tuple tuple_of(const protocol::Sizes& sizes);

}  // namespace dycl::partial_eval
