// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <array>
#include <limits>

namespace dycl {
namespace {

enum class Kind { Float, Integer, Other };

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bits;
  Kind kind;
};

constexpr std::array kRows{
    Row{DType::F32, "f32", 32, Kind::Float},          Row{DType::U8, "u8", 8, Kind::Integer},
    Row{DType::I8, "i8", 8, Kind::Integer},           Row{DType::U16, "u16", 16, Kind::Integer},
    Row{DType::I16, "i16", 16, Kind::Integer},        Row{DType::I32, "i32", 32, Kind::Integer},
    Row{DType::I64, "i64", 64, Kind::Integer},        Row{DType::String, "str", 0, Kind::Other},
    Row{DType::Bool, "bool", 8, Kind::Other},         Row{DType::F16, "f16", 16, Kind::Float},
    Row{DType::F64, "f64", 64, Kind::Float},          Row{DType::U32, "u32", 32, Kind::Integer},
    Row{DType::U64, "u64", 64, Kind::Integer},        Row{DType::C64, "c64", 64, Kind::Other},
    Row{DType::C128, "c128", 128, Kind::Other},       Row{DType::BF16, "bf16", 16, Kind::Float},
    Row{DType::F8E4M3FN, "f8e4m3fn", 8, Kind::Float}, Row{DType::F8E4M3FNUZ, "f8e4m3fnuz", 8, Kind::Float},
    Row{DType::F8E5M2, "f8e5m2", 8, Kind::Float},     Row{DType::F8E5M2FNUZ, "f8e5m2fnuz", 8, Kind::Float},
    Row{DType::U4, "u4", 4, Kind::Integer},           Row{DType::I4, "i4", 4, Kind::Integer},
    Row{DType::F4E2M1, "f4e2m1", 4, Kind::Float},     Row{DType::F8E8M0, "f8e8m0", 8, Kind::Float},
    Row{DType::U2, "u2", 2, Kind::Integer},           Row{DType::I2, "i2", 2, Kind::Integer},
};

const Row& row_of(DType dtype) {
  for (const Row& row : kRows)
    if (row.dtype == dtype) return row;
  return kRows[0];  // unreachable: DType values come from the functions below
}

}  // namespace

std::string_view name_of(DType dtype) { return row_of(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::optional<DType> dtype_from_number(std::int64_t number) {
  for (const Row& row : kRows)
    if (static_cast<std::int64_t>(row.dtype) == number) return row.dtype;
  return std::nullopt;
}

std::size_t bit_width(DType dtype) { return row_of(dtype).bits; }

std::optional<std::size_t> byte_size(DType dtype, std::int64_t count) {
  const std::size_t bits = bit_width(dtype);
  if (bits == 0 || count < 0) return std::nullopt;
  const auto elements = static_cast<std::size_t>(count);
  if (elements > (std::numeric_limits<std::size_t>::max() >> 1) / bits) return std::nullopt;
  return (elements * bits + 7) / 8;
}

bool is_float(DType dtype) { return row_of(dtype).kind == Kind::Float; }
bool is_integer(DType dtype) { return row_of(dtype).kind == Kind::Integer; }

}  // namespace dycl
