// SPDX-License-Identifier: Apache-2.0
// Converts single tensor elements to text and back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

// Reads one number or bool as the element's bytes; a text that is malformed or out of range is Blame::Usage.
// Sub-byte integers take one byte here (pack_elements). 8-bit and smaller floats have no text form.
Result<std::vector<std::byte>> parse_element(DType dtype, std::string_view text);

// Writes element `index` of a tensor that is not of strings: "3", "-0.5", "nan", "true", "1+2j", "0x3f" (the
// bits of a type without a text form).
std::string element_text(const TensorData& tensor, std::int64_t index);

// Writes shape, type and values, and abbreviates long arrays: "f32[2,3] = [[0, 1, 2], [3, 4, 5]]".
std::string tensor_text(const TensorData& tensor, std::int64_t edge_items = 3);

}  // namespace dycl::cli
