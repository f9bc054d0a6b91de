// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "onnx_wire/model.h"

namespace dycl::onnx_wire {

// Parts of a model that are counted: messages, names and numbers in lists. Far above any real model, low
// enough that hostile bytes cannot take memory without end.
inline constexpr std::size_t kMostParts = 4'000'000;

// The model that the bytes are, or what is wrong with them, as the end of a sentence. Nothing in the bytes
// is trusted: not a size, not a number, not that names are unique or that something defines them. Whoever
// reads the same bytes with a protobuf library sees the same model.
tl::expected<Model, std::string> read_model(std::string_view bytes);

}  // namespace dycl::onnx_wire
