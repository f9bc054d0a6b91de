// SPDX-License-Identifier: Apache-2.0
// Element types. Their numbers are those of ONNX's TensorProto.DataType, a public and frozen list, so that
// frontends, backends and packages need no translation table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dycl {

enum class DType : std::int32_t {
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  String = 8,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  C64 = 14,
  C128 = 15,
  BF16 = 16,
  F8E4M3FN = 17,
  F8E4M3FNUZ = 18,
  F8E5M2 = 19,
  F8E5M2FNUZ = 20,
  U4 = 21,
  I4 = 22,
  F4E2M1 = 23,
  F8E8M0 = 24,
  U2 = 25,
  I2 = 26,
};

// Returns "f32", "i64", "bool", "str", …, which text, command line and Python all use.
std::string_view name_of(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_number(std::int64_t number);

// Returns the bits of one element in memory; 0 for strings, whose size depends on the value.
std::size_t bit_width(DType dtype);

// Returns the bytes of `count` elements (sub-byte types are packed); nullopt on overflow or for strings.
std::optional<std::size_t> byte_size(DType dtype, std::int64_t count);

bool is_float(DType dtype);
bool is_integer(DType dtype);  // bool is not an integer

}  // namespace dycl
