// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "base/overloaded.h"
#include "hcfg/interpret_parts.h"

namespace dycl {
namespace {

using Alternatives = std::variant<TensorPtr, Scalar, SeqValue, OptionalValue, std::string>;

bool tensor_has_type(const TensorData& tensor, const TensorType& type, const SymbolSize& sizes) {
  if (tensor.dtype != type.dtype) return false;
  if (!type.dims) return true;
  return std::ranges::equal(tensor.dims, *type.dims, [&](std::int64_t size, const Dim& dim) {
    return evaluate(dim, sizes).value_or(size) == size;
  });
}

}  // namespace

std::string description_of(const InterpreterValue& value) {
  return std::visit(
      Overloaded{
          [](const TensorPtr& tensor) {
            if (tensor == nullptr) return std::string("nothing");
            return fmt::format("a tensor {}[{}]", name_of(tensor->dtype), fmt::join(tensor->dims, ","));
          },
          [](const Scalar& scalar) { return "the scalar " + repr(scalar); },
          [](const SeqValue& seq) { return fmt::format("a sequence of {}", seq.items->size()); },
          [](const OptionalValue& optional) {
            return std::string(optional.value == nullptr ? "none" : "an optional value");
          },
          [](const std::string&) { return std::string("a string"); },
      },
      static_cast<const Alternatives&>(value));
}

bool has_type(const InterpreterValue& value, const Type& type, const SymbolSize& sizes) {
  return std::visit(
      Overloaded{
          [&](const TensorPtr& tensor) {
            return tensor != nullptr && type.tensor() != nullptr &&
                   tensor_has_type(*tensor, *type.tensor(), sizes);
          },
          [&](const Scalar& scalar) {
            return type.scalar() != nullptr && kind_of(scalar) == type.scalar()->kind;
          },
          [&](const SeqValue& seq) {
            return type.seq() != nullptr &&
                   std::ranges::all_of(*seq.items, [&](const InterpreterValue& item) {
                     return has_type(item, *type.seq()->element, sizes);
                   });
          },
          [&](const OptionalValue& optional) {
            return type.optional() != nullptr &&
                   (optional.value == nullptr || has_type(*optional.value, *type.optional()->element, sizes));
          },
          [&](const std::string&) { return std::holds_alternative<StringType>(type); },
      },
      static_cast<const Alternatives&>(value));
}

}  // namespace dycl
