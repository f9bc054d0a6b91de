// SPDX-License-Identifier: Apache-2.0
// Converts DyCL's element types to DLPack's, for the types that TVM computes with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "tvm/ffi.h"

namespace dycl::tvm {

// The alignment of memory, on which generated code relies.
inline constexpr std::size_t alignment = 64;

struct ElementType {
  DType dtype;
  DLDataType dlpack;
};
inline constexpr std::array element_types{
    ElementType{DType::F32, {2, 32, 1}}, ElementType{DType::F64, {2, 64, 1}},
    ElementType{DType::F16, {2, 16, 1}}, ElementType{DType::I8, {0, 8, 1}},
    ElementType{DType::I16, {0, 16, 1}}, ElementType{DType::I32, {0, 32, 1}},
    ElementType{DType::I64, {0, 64, 1}}, ElementType{DType::U8, {1, 8, 1}},
    ElementType{DType::U16, {1, 16, 1}}, ElementType{DType::U32, {1, 32, 1}},
    ElementType{DType::U64, {1, 64, 1}}, ElementType{DType::Bool, {6, 8, 1}},
};

constexpr bool is_known(DType dtype) {
  for (const ElementType& type : element_types)
    if (type.dtype == dtype) return true;
  return false;
}

// Takes the number of a dtype for which is_known is true.
constexpr DLDataType to_dlpack(std::int32_t number) {
  for (const ElementType& type : element_types)
    if (static_cast<std::int32_t>(type.dtype) == number) return type.dlpack;
  return {};
}

// Returns 0 for a type that DyCL does not know.
constexpr std::int32_t from_dlpack(DLDataType given) {
  for (const ElementType& type : element_types)
    if (type.dlpack.code == given.code && type.dlpack.bits == given.bits && given.lanes == 1)
      return static_cast<std::int32_t>(type.dtype);
  return 0;
}

}  // namespace dycl::tvm
