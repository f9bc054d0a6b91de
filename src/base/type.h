// SPDX-License-Identifier: Apache-2.0
// Types of values that flow along the graph and through the runtime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dim.h"
#include "base/dtype.h"

namespace dycl {

enum class DeviceKind : std::int32_t { Cpu = 1, Cuda = 2 };  // DLPack's numbers

struct Device {
  DeviceKind kind = DeviceKind::Cpu;
  std::int32_t index = 0;
  bool operator==(const Device&) const = default;
};

// A tensor, whose elements lie row by row, without gaps.
struct TensorType {
  DType dtype = DType::F32;
  std::optional<std::vector<Dim>> dims;  // nullopt: the rank is not known
  Device device;

  [[nodiscard]] bool is_static() const;
  bool operator==(const TensorType&) const = default;
};

enum class ScalarKind : std::uint8_t { Bool, I64, F64 };

struct ScalarType {
  ScalarKind kind = ScalarKind::Bool;
  bool operator==(const ScalarType&) const = default;
};

struct StringType {
  bool operator==(const StringType&) const = default;
};

struct SeqType;
struct OptionalType;

// Seq and Optional hold their element behind a shared pointer to const: a Type stays a cheap value.
struct Type;
struct SeqType {
  std::shared_ptr<const Type> element;
  bool operator==(const SeqType& other) const;
};
struct OptionalType {
  std::shared_ptr<const Type> element;
  bool operator==(const OptionalType& other) const;
};

struct Type : std::variant<TensorType, ScalarType, SeqType, OptionalType, StringType> {
  using variant::variant;

  [[nodiscard]] const TensorType* tensor() const { return std::get_if<TensorType>(this); }
  [[nodiscard]] const ScalarType* scalar() const { return std::get_if<ScalarType>(this); }
  [[nodiscard]] const SeqType* seq() const { return std::get_if<SeqType>(this); }
  [[nodiscard]] const OptionalType* optional() const { return std::get_if<OptionalType>(this); }
};

// Visits every size in the type, also those of the elements of sequences and optionals.
void for_each_dim_within(const Type& type, const std::function<void(const Dim&)>& visit);

Type seq_of(Type element);
Type optional_of(Type element);

// Returns "f32[1,n,16]", "f32[*]" (rank not known), "f32[3]@cuda:0", "bool|int|float" (scalars), "str",
// "seq<f32[n]>", "optional<…>"
std::string to_string(const Type& type, const std::function<std::string(SymbolId)>& name_of_symbol);

std::string to_string(Device device);

}  // namespace dycl
