// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "onnx_wire/model.h"

namespace dycl::onnx_wire {

// How many parts a model may have: messages, names and numbers in lists. The limit is far above any real
// model, and low enough that hostile bytes cannot take memory without end.
inline constexpr std::size_t kMostParts = 4'000'000;

// Reads a model, or says what is wrong with the bytes, as the end of a sentence. It trusts nothing in the
// bytes: not a size, not a number, not that names are unique or defined. A protobuf library reads the same
// model from the same bytes.
tl::expected<Model, std::string> read_model(std::string_view bytes);

}  // namespace dycl::onnx_wire
