// SPDX-License-Identifier: Apache-2.0
// Attributes and tensors as text; the reading half is in text_read_attributes.h.
#pragma once

#include <string>

#include "base/attribute.h"
#include "base/tensor_data.h"

namespace dycl {

// tensor f32[2] hex "…": with its type.
std::string tensor_text(const TensorPtr& tensor, std::size_t inline_bytes);

// " {axis=1, mode=\"x\"}", or "" when there are none.
std::string attributes_text(const Attributes& attributes, std::size_t inline_bytes);

// hex "0200…" up to `inline_bytes`, key "…" beyond.
std::string contents_text(const TensorData& tensor, std::size_t inline_bytes);

}  // namespace dycl
