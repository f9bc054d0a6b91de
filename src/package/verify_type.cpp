// SPDX-License-Identifier: Apache-2.0
#include "package/verify_type.h"

#include <fmt/format.h>

#include "package/limits.h"

namespace dycl {
namespace {

constexpr int kMaxNesting = 32;

std::optional<std::string> problem_of(const TensorType& type, std::size_t symbol_count) {
  if (!dtype_from_number(static_cast<std::int64_t>(type.dtype))) return "its element type is not known";
  if (!type.dims) return std::nullopt;
  if (type.dims->size() > limits::kRank) return fmt::format("it has {} dims", type.dims->size());
  for (const Dim& dim : *type.dims) {
    if (dim.is_static() && dim.constant < 0) return "a size is negative";
    for (const auto& [symbol, factor] : dim.terms)
      if (!symbol.valid() || symbol.index() >= symbol_count)
        return "a size names a symbol that does not exist";
  }
  return std::nullopt;
}

std::optional<std::string> problem_at(const Type& type, std::size_t symbol_count, int depth) {
  if (depth > kMaxNesting) return "its type is nested too deep";
  if (type.tensor() != nullptr) return problem_of(*type.tensor(), symbol_count);
  if (type.scalar() != nullptr)
    return type.scalar()->kind <= ScalarKind::F64 ? std::nullopt
                                                  : std::optional<std::string>("its kind is not known");
  const Type* element = nullptr;
  if (type.seq() != nullptr)
    element = type.seq()->element.get();
  else if (type.optional() != nullptr)
    element = type.optional()->element.get();
  else
    return std::nullopt;
  if (element == nullptr) return "its type has no element";
  if (type.optional() != nullptr && element->optional() != nullptr) return "it is an optional of an optional";
  return problem_at(*element, symbol_count, depth + 1);
}

}  // namespace

std::optional<std::string> problem_of(const Type& type, std::size_t symbol_count) {
  return problem_at(type, symbol_count, 0);
}

}  // namespace dycl
