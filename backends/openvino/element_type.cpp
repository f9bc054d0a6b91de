// SPDX-License-Identifier: Apache-2.0
#include "element_type.h"

#include <array>
#include <utility>

namespace dycl::openvino {
namespace {

// The right column is ov_element_type_e of the vendor's C header.
constexpr std::array<std::pair<DType, int>, 13> kTypes{{
    {DType::Bool, 1},
    {DType::BF16, 2},
    {DType::F16, 3},
    {DType::F32, 4},
    {DType::F64, 5},
    {DType::I8, 7},
    {DType::I16, 8},
    {DType::I32, 9},
    {DType::I64, 10},
    {DType::U8, 16},
    {DType::U16, 17},
    {DType::U32, 18},
    {DType::U64, 19},
}};

}  // namespace

std::optional<int> to_openvino(DType dtype) {
  for (const auto& [ours, theirs] : kTypes)
    if (ours == dtype) return theirs;
  return std::nullopt;
}

std::optional<DType> from_openvino(int element_type) {
  for (const auto& [ours, theirs] : kTypes)
    if (theirs == element_type) return ours;
  return std::nullopt;
}

}  // namespace dycl::openvino
