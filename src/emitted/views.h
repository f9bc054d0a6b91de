// SPDX-License-Identifier: Apache-2.0
// What the views of the emitted header stand for.
#pragma once

#include <cstdint>

namespace dycl::emitted {

// What a view stands for that is no tensor.
constexpr std::int32_t kNoView = 0;
constexpr std::int32_t kListView = -1;

}  // namespace dycl::emitted
