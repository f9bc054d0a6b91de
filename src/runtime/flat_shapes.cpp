// SPDX-License-Identifier: Apache-2.0
#include "runtime/flat_shapes.h"

#include <algorithm>

namespace dycl::runtime {
namespace {

// Symbols that stand alone as a size of a tensor input, so that a call's inputs tell their value. (The
// elements of a sequence may differ in size: they bind nothing.)
std::vector<bool> symbols_of_inputs(const HostPlan& plan) {
  std::vector<bool> bound(plan.symbols.size(), false);
  for (const PlanPort& port : plan.inputs) {
    const OptionalType* optional = port.type.optional();
    const TensorType* tensor = (optional == nullptr ? port.type : *optional->element).tensor();
    if (tensor == nullptr || !tensor->dims) continue;
    for (const Dim& dim : *tensor->dims)
      if (const auto symbol = dim.as_symbol()) bound[symbol->index()] = true;
  }
  return bound;
}

FlatDim flat_dim(const Dim& dim, const std::vector<bool>& bound, FlatPlan& flat) {
  FlatDim result;
  result.constant = dim.constant;
  result.terms = {static_cast<std::uint32_t>(flat.terms.size()),
                  static_cast<std::uint32_t>(dim.terms.size())};
  for (const auto& [symbol, factor] : dim.terms) {
    flat.terms.push_back({symbol.value, factor});
    result.computable = result.computable && bound[symbol.index()];
  }
  return result;
}

// nullopt for strings, whose size depends on the value, and for sizes beyond the address space.
std::optional<std::size_t> static_bytes(const TensorType& type) {
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *type.dims) sizes.push_back(dim.constant);
  const auto count = element_count(sizes);
  return count ? byte_size(type.dtype, *count) : std::nullopt;
}

FlatShape flat_shape(const TensorType& type, const std::vector<bool>& bound, FlatPlan& flat) {
  FlatShape shape;
  shape.is_tensor = true;
  shape.dtype = type.dtype;
  shape.device = type.device;
  shape.ranked = type.dims.has_value();
  if (!shape.ranked) return shape;
  shape.dims = {static_cast<std::uint32_t>(flat.dims.size()), static_cast<std::uint32_t>(type.dims->size())};
  for (const Dim& dim : *type.dims) flat.dims.push_back(flat_dim(dim, bound, flat));
  shape.computable = std::ranges::all_of(part(flat.dims, shape.dims), &FlatDim::computable);
  if (!type.is_static()) return shape;
  const auto bytes = static_bytes(type);
  shape.is_static = bytes.has_value();
  shape.bytes = bytes.value_or(0);
  return shape;
}

}  // namespace

void add_shapes(const HostPlan& plan, FlatPlan& flat) {
  const std::vector<bool> bound = symbols_of_inputs(plan);
  for (const Type& type : plan.slots) {
    const TensorType* tensor = type.tensor();
    flat.shapes.push_back(tensor == nullptr ? FlatShape{} : flat_shape(*tensor, bound, flat));
    flat.scalar_kinds.push_back(type.scalar() == nullptr ? ScalarKind::I64 : type.scalar()->kind);
  }
}

std::int64_t size_of_dim(const FlatPlan& plan, const FlatDim& dim, std::span<const std::int64_t> symbols) {
  if (!dim.computable) return -1;
  std::int64_t size = dim.constant;
  for (const FlatTerm& term : part(plan.terms, dim.terms)) {
    const std::int64_t symbol = symbols[term.symbol];
    std::int64_t product = 0;
    if (symbol < 0 || __builtin_mul_overflow(symbol, term.factor, &product) ||
        __builtin_add_overflow(size, product, &size))
      return -1;
  }
  return size;
}

}  // namespace dycl::runtime
