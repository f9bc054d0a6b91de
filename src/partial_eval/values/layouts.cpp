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

// But for sizes of 1, whose strides lead nowhere.
bool same_strides(const Sizes& shape, const Sizes& left, const Sizes& right) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != SizeExpr(1) && left[axis] != right[axis]) return false;
  return true;
}

bool is_contiguous(const protocol::TensorSpec& spec) {
  return same_strides(spec.shape, spec.stride, contiguous_stride(spec.shape));
}

}  // namespace

bool have_one_layout(std::span<const protocol::SpecPtr> specs) {
  const protocol::TensorSpec& first = *specs.front();
  return std::ranges::all_of(specs, [&](const protocol::SpecPtr& spec) { return is_contiguous(*spec); }) ||
         std::ranges::all_of(specs, [&](const protocol::SpecPtr& spec) {
           return spec->shape == first.shape && same_strides(first.shape, spec->stride, first.stride);
         });
}

bool repeats_elements(const protocol::TensorSpec& spec) {
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
    if (spec.stride[axis] == SizeExpr(0) && spec.shape[axis] != SizeExpr(1)) return true;
  return false;
}

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
