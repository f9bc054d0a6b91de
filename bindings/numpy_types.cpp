// SPDX-License-Identifier: Apache-2.0
#include "numpy_types.h"

#include <array>

namespace dycl::python {
namespace {

struct Names {
  DType dtype;
  std::string_view numpy;
  std::string_view torch;  // without "torch."; empty: torch has no such type
  bool ml_dtypes;
};

constexpr std::array kNames{Names{DType::F32, "float32", "float32", false},
                            Names{DType::F64, "float64", "float64", false},
                            Names{DType::F16, "float16", "float16", false},
                            Names{DType::I8, "int8", "int8", false},
                            Names{DType::I16, "int16", "int16", false},
                            Names{DType::I32, "int32", "int32", false},
                            Names{DType::I64, "int64", "int64", false},
                            Names{DType::U8, "uint8", "uint8", false},
                            Names{DType::U16, "uint16", "uint16", false},
                            Names{DType::U32, "uint32", "uint32", false},
                            Names{DType::U64, "uint64", "uint64", false},
                            Names{DType::Bool, "bool", "bool", false},
                            Names{DType::C64, "complex64", "complex64", false},
                            Names{DType::C128, "complex128", "complex128", false},
                            Names{DType::String, "object", "", false},
                            Names{DType::BF16, "bfloat16", "bfloat16", true},
                            Names{DType::F8E4M3FN, "float8_e4m3fn", "float8_e4m3fn", true},
                            Names{DType::F8E4M3FNUZ, "float8_e4m3fnuz", "float8_e4m3fnuz", true},
                            Names{DType::F8E5M2, "float8_e5m2", "float8_e5m2", true},
                            Names{DType::F8E5M2FNUZ, "float8_e5m2fnuz", "float8_e5m2fnuz", true},
                            Names{DType::F8E8M0, "float8_e8m0fnu", "float8_e8m0fnu", true},
                            Names{DType::F4E2M1, "float4_e2m1fn", "", true},
                            Names{DType::U4, "uint4", "", true},
                            Names{DType::I4, "int4", "", true},
                            Names{DType::U2, "uint2", "", true},
                            Names{DType::I2, "int2", "", true}};

const Names& names_of(DType dtype) {
  for (const Names& names : kNames)
    if (names.dtype == dtype) return names;
  return kNames.front();  // the table is complete: every enumerator is listed
}

}  // namespace

std::optional<DType> dtype_from_numpy(std::string_view name) {
  for (const Names& names : kNames)
    if (names.numpy == name) return names.dtype;
  return std::nullopt;
}

std::optional<DType> dtype_from_torch(std::string_view name) {
  if (!name.starts_with("torch.")) return std::nullopt;
  for (const Names& names : kNames)
    if (!names.torch.empty() && names.torch == name.substr(6)) return names.dtype;
  return std::nullopt;
}

std::string_view numpy_name_of(DType dtype) { return names_of(dtype).numpy; }
bool needs_ml_dtypes(DType dtype) { return names_of(dtype).ml_dtypes; }

}  // namespace dycl::python
