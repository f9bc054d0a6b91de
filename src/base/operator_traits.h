// SPDX-License-Identifier: Apache-2.0
// What is known about ONNX's own operators by their names: one table that the compiler, the package reader
// and the plugins read, instead of a list in each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dycl {

enum class Trait : std::uint32_t {
  ControlFlow = 1U << 0U,   // decides what runs: no sub-DNN may contain it
  Random = 1U << 1U,        // draws numbers: never folded, never shared
  Quantizes = 1U << 2U,     // part of a pattern that backends look for: never folded
  Grows = 1U << 3U,         // a few numbers decide the size of the result, which may be huge
  Resizes = 1U << 4U,       // does nothing when the result has the sizes of the first operand
  Moves = 1U << 5U,         // every element of the result is one of the first operand's
  BoundedBelow = 1U << 6U,  // no result is -inf, whatever the operand is
  KeepsBounds = 1U << 7U,   // no result is -inf unless an element of its data is
  Gathers = 1U << 8U,       // reads the first operand at the indices in the second
  Scatters = 1U << 9U,      // writes at the indices in the second operand
  NamesTuples = 1U << 10U,  // these indices are tuples, with one index for each of several axes
  Compares = 1U << 11U,     // compares two operands and gives a bool
  GivesBool = 1U << 12U,    // the result is a bool, whatever the operands are
  GivesPlaces = 1U << 13U,  // the result is sizes or indices, in 64 bits
};

// Says whether an operator of ONNX's own domain has this trait. An operator that the table does not list has
// none.
bool has_trait(std::string_view op, Trait trait);

// Returns how many operands the operator requires; 1 if the table does not say.
std::size_t fewest_operands(std::string_view op);

}  // namespace dycl
