// SPDX-License-Identifier: Apache-2.0
#include "package/safetensors_dtype.h"

#include <array>
#include <utility>

namespace dycl {
namespace {

// The names that every reader of the format knows.
constexpr std::array<std::pair<DType, std::string_view>, 15> kNames{{
    {DType::Bool, "BOOL"},
    {DType::U8, "U8"},
    {DType::I8, "I8"},
    {DType::F8E5M2, "F8_E5M2"},
    {DType::F8E4M3FN, "F8_E4M3"},
    {DType::I16, "I16"},
    {DType::U16, "U16"},
    {DType::F16, "F16"},
    {DType::BF16, "BF16"},
    {DType::I32, "I32"},
    {DType::U32, "U32"},
    {DType::F32, "F32"},
    {DType::F64, "F64"},
    {DType::I64, "I64"},
    {DType::U64, "U64"},
}};

}  // namespace

std::optional<std::string_view> safetensors_name(DType dtype) {
  for (const auto& [candidate, name] : kNames)
    if (candidate == dtype) return name;
  return std::nullopt;
}

std::optional<DType> dtype_from_safetensors(std::string_view name) {
  for (const auto& [dtype, candidate] : kNames)
    if (candidate == name) return dtype;
  return std::nullopt;
}

}  // namespace dycl
