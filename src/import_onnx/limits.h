// SPDX-License-Identifier: Apache-2.0
// What a model may cost: a small file must not take the stack or the memory (docs/errors.md).
#pragma once

#include <cstddef>

namespace dycl::import_onnx {

// Subgraphs in subgraphs and functions that call functions, both counted.
inline constexpr int kDeepestNesting = 200;

// Nodes that calls of model-local functions expand to: so many, or so many for each node in the file. A
// function that calls the next one twice doubles the work with every few bytes of the file.
inline constexpr std::size_t kMostExpandedNodes = 100'000;
inline constexpr std::size_t kMostExpandedPerNode = 100;

}  // namespace dycl::import_onnx
