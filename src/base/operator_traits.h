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
  Grows = 1U << 3U,         // a few numbers can ask for a result of any size
  Resizes = 1U << 4U,       // does nothing when the result has the sizes of the first operand
  Moves = 1U << 5U,         // every element of the result is one of the first operand's
  BoundedBelow = 1U << 6U,  // no result is -inf, whatever the operand is
  KeepsBounds = 1U << 7U,   // no result is -inf unless an element of its data is
  Gathers = 1U << 8U,       // reads the first operand at the places that the second names
  Scatters = 1U << 9U,      // writes at the places that the second operand names
  NamesTuples = 1U << 10U,  // these places are tuples: one index for each of several axes
  Compares = 1U << 11U,     // two operands, a bool
  GivesBool = 1U << 12U,    // whatever the operands are
  GivesPlaces = 1U << 13U,  // sizes or places, in 64 bits
};

// Has the operator of ONNX's own domain this trait? An operator that the table does not list has none.
bool has_trait(std::string_view op, Trait trait);

// How many operands it cannot do without; 1 where the table does not say.
std::size_t fewest_operands(std::string_view op);

}  // namespace dycl
