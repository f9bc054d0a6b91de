// SPDX-License-Identifier: Apache-2.0
#include "base/type.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"

namespace dycl {
namespace {

using SymbolNames = std::function<std::string(SymbolId)>;

std::string tensor_text(const TensorType& type, const SymbolNames& names) {
  std::string text(name_of(type.dtype));
  text += '[';
  if (!type.dims)
    text += '*';
  else
    for (std::size_t axis = 0; axis < type.dims->size(); ++axis)
      text += (axis == 0 ? "" : ",") + to_string((*type.dims)[axis], names);
  text += ']';
  if (type.device != Device{}) text += "@" + to_string(type.device);
  return text;
}

std::string scalar_text(ScalarType type) {
  switch (type.kind) {
    case ScalarKind::Bool: return "bool";
    case ScalarKind::I64: return "int";
    case ScalarKind::F64: return "float";
  }
  return "bool";
}

}  // namespace

bool TensorType::is_static() const {
  return dims && std::ranges::all_of(*dims, [](const Dim& dim) { return dim.is_static(); });
}

bool SeqType::operator==(const SeqType& other) const { return *element == *other.element; }
bool OptionalType::operator==(const OptionalType& other) const { return *element == *other.element; }

void for_each_dim_within(const Type& type, const std::function<void(const Dim&)>& visit) {
  if (const SeqType* seq = type.seq()) return for_each_dim_within(*seq->element, visit);
  if (const OptionalType* optional = type.optional()) return for_each_dim_within(*optional->element, visit);
  if (const TensorType* tensor = type.tensor(); tensor != nullptr && tensor->dims)
    for (const Dim& dim : *tensor->dims) visit(dim);
}

Type seq_of(Type element) { return SeqType{std::make_shared<const Type>(std::move(element))}; }
Type optional_of(Type element) { return OptionalType{std::make_shared<const Type>(std::move(element))}; }

std::string to_string(const Type& type, const SymbolNames& names) {
  return std::visit(
      Overloaded{
          [&](const TensorType& tensor) { return tensor_text(tensor, names); },
          [&](const ScalarType& scalar) { return scalar_text(scalar); },
          [&](const SeqType& seq) { return fmt::format("seq<{}>", to_string(*seq.element, names)); },
          [&](const OptionalType& optional) {
            return fmt::format("optional<{}>", to_string(*optional.element, names));
          },
          [&](const StringType&) { return std::string("str"); },
      },
      static_cast<const std::variant<TensorType, ScalarType, SeqType, OptionalType, StringType>&>(type));
}

std::string to_string(Device device) {
  return fmt::format("{}:{}", device.kind == DeviceKind::Cpu ? "cpu" : "cuda", device.index);
}

}  // namespace dycl
