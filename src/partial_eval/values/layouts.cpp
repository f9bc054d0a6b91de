// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/layouts.h"

#include <algorithm>

namespace dycl::partial_eval {
namespace {

using protocol::Sizes;

Sizes substituted_in_all(const Sizes& sizes, const SizeValues& values) {
  Sizes found;
  for (const SizeExpr& size : sizes) found.push_back(dycl::substituted(size, values));
  return found;
}

}  // namespace

Sizes contiguous_stride(const Sizes& shape) {
  Sizes strides(shape.size());
  SizeExpr total = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = total;
    const SizeExpr& size = shape[axis];
    total = total * (size == SizeExpr(0) ? SizeExpr(1) : size);
  }
  return strides;
}

protocol::Layout substituted(const protocol::TensorSpec& spec, const SizeValues& values) {
  Sizes shape = substituted_in_all(spec.shape, values);
  const bool is_contiguous = spec.stride == contiguous_stride(spec.shape);
  // Where a size becomes 0, the strides over it do not.
  Sizes stride = is_contiguous ? contiguous_stride(shape) : substituted_in_all(spec.stride, values);
  return {std::move(shape), std::move(stride)};
}

std::vector<SizeSymbolPtr> symbols_of_all(const Sizes& sizes) {
  std::vector<SizeSymbolPtr> found;
  for (const SizeExpr& size : sizes)
    for (const SizeSymbolPtr& symbol : symbols_of(size)) {
      const bool is_new = std::ranges::none_of(
          found, [&](const SizeSymbolPtr& other) { return other->number == symbol->number; });
      if (is_new) found.push_back(symbol);
    }
  return found;
}

nb::tuple tuple_of(const Sizes& sizes) {
  nb::list list;
  for (const SizeExpr& size : sizes) list.append(nb::cast(size));
  return nb::tuple(list);
}

}  // namespace dycl::partial_eval
