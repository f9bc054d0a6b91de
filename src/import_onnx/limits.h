// SPDX-License-Identifier: Apache-2.0
// The limits of a model: a small file must not exhaust the stack or the memory (docs/errors.md).
#pragma once

#include <cstddef>

namespace dycl::import_onnx {

// How deep subgraphs and calls of functions may be nested, counted together.
inline constexpr int kDeepestNesting = 200;

// Every node keeps the path of graphs and functions to it, for messages: a longer one is cut in its middle.
inline constexpr std::size_t kLongestPath = 400;

// How many nodes the calls of model-local functions may expand to: in all, or for each node in the file. A
// function that calls the next one twice doubles the work with every few bytes of the file.
inline constexpr std::size_t kMostExpandedNodes = 100'000;
inline constexpr std::size_t kMostExpandedPerNode = 100;

}  // namespace dycl::import_onnx
