// SPDX-License-Identifier: Apache-2.0
// Elements and rows of tensors whose sizes are known while the program is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "host_rules/elements.h"
#include "host_rules/indices.h"
#include "host_rules/raised.h"

namespace dycl::emitted {

using host_rules::Unable;

// The address of a tensor without elements: backends require one.
inline std::byte* no_elements() {
  alignas(64) static std::byte nothing[64];
  return nothing;
}

// Writes the one element of a tensor.
template <class Number>
void write_element(Number number, std::int32_t dtype, std::byte* data) {
  if (!host_rules::write_number(number, dtype, data))
    throw Unable{"scalar.dtype", "a number cannot become an element of this type"};
}

// A row of a tensor, counted from the end if the number is negative.
template <class T>
const T* row(const T* data, std::int64_t index, std::int64_t rows, std::size_t bytes) {
  const auto place = static_cast<std::size_t>(host_rules::row_place(index, rows));
  return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(data) + place * bytes);
}

// Base draws have no more rows than these.
inline void check_draws(std::int64_t index, std::int64_t rows, const char* input) {
  if (index < -rows || index >= rows)
    throw Unable{"run.draws_used_up", std::string("this place draws more often than the input '") + input +
                                          "' has rows (" + std::to_string(rows) + ")"};
}

template <class T>
const T* draw_row(const T* data, std::int64_t index, std::int64_t rows, std::size_t bytes,
                  const char* input) {
  check_draws(index, rows, input);
  return row(data, index, rows, bytes);
}

// The element of a tensor with one element, as the number that the program wants.
template <std::int32_t DType>
bool item_bool(const void* data) {
  return host_rules::visit_element(
      DType, static_cast<const std::byte*>(data), [](auto number) { return host_rules::to_bool(number); },
      [] { return false; });
}
template <std::int32_t DType>
std::int64_t item_int(const void* data) {
  return host_rules::visit_element(
      DType, static_cast<const std::byte*>(data), [](auto number) { return host_rules::to_int(number); },
      [] { return std::int64_t{0}; });
}
template <std::int32_t DType>
double item_float(const void* data) {
  return host_rules::visit_element(
      DType, static_cast<const std::byte*>(data), [](auto number) { return host_rules::to_float(number); },
      [] { return 0.0; });
}

}  // namespace dycl::emitted
