// SPDX-License-Identifier: Apache-2.0
// Single tensor elements as text, in both directions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl::cli {

// One number or bool as the element's bytes; out of range or malformed is Blame::Usage. Sub-byte
// integers take one byte here (pack_elements). 8-bit and smaller floats have no text form.
Result<std::vector<std::byte>> parse_element(DType dtype, std::string_view text);

// Element `index` of a tensor that is not of strings: "3", "-0.5", "nan", "true", "1+2j", "0x3f"
// (bits of a type without a text form).
std::string element_text(const TensorData& tensor, std::int64_t index);

// Shape, type and values, long arrays abbreviated: "f32[2,3] = [[0, 1, 2], [3, 4, 5]]".
std::string tensor_text(const TensorData& tensor, std::int64_t edge_items = 3);

}  // namespace dycl::cli
