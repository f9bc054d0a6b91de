// SPDX-License-Identifier: Apache-2.0
#include "hcfg/tensor_rearrange.h"

#include <fmt/ranges.h>

#include <cstring>

namespace dycl {
namespace {

struct ElementRef {
  const TensorData* tensor;
  std::size_t index;
};

unsigned packed_element(const ElementRef& ref, std::size_t bits) {
  const std::size_t at = ref.index * bits;
  const auto byte = std::to_integer<unsigned>(ref.tensor->bytes[at / 8]);
  return (byte >> (at % 8)) & ((1U << bits) - 1U);
}

TensorData gather_packed(DType dtype, std::vector<std::int64_t> dims, std::span<const ElementRef> elements) {
  const std::size_t bits = bit_width(dtype);
  std::vector<std::byte> bytes((elements.size() * bits + 7) / 8);
  for (std::size_t index = 0; index < elements.size(); ++index) {
    const std::size_t at = index * bits;
    bytes[at / 8] |= static_cast<std::byte>(packed_element(elements[index], bits) << (at % 8));
  }
  return make_tensor(dtype, std::move(dims), std::move(bytes));
}

Result<TensorData> gather_strings(std::vector<std::int64_t> dims, std::span<const ElementRef> elements) {
  std::vector<std::string> strings;
  const TensorData* current = nullptr;
  std::vector<std::string> of_current;
  for (const ElementRef& element : elements) {
    if (element.tensor != current) {
      auto read = strings_of(*element.tensor);
      if (!read) return failure_of(std::move(read));
      of_current = *std::move(read);
      current = element.tensor;
    }
    strings.push_back(of_current[element.index]);
  }
  return make_string_tensor(std::move(dims), strings);
}

Result<TensorData> gather(DType dtype, std::vector<std::int64_t> dims, std::span<const ElementRef> elements) {
  if (dtype == DType::String) return gather_strings(std::move(dims), elements);
  if (bit_width(dtype) < 8) return gather_packed(dtype, std::move(dims), elements);
  const std::size_t size = bit_width(dtype) / 8;
  std::vector<std::byte> bytes(elements.size() * size);
  for (std::size_t index = 0; index < elements.size(); ++index)
    std::memcpy(bytes.data() + index * size,
                elements[index].tensor->bytes.data() + elements[index].index * size, size);
  return make_tensor(dtype, std::move(dims), std::move(bytes));
}

// A tensor seen as [outer, axis, inner].
struct AxisShape {
  std::size_t outer = 1;
  std::size_t extent = 1;
  std::size_t inner = 1;
};

AxisShape around(const TensorData& tensor, std::size_t axis) {
  AxisShape shape;
  for (std::size_t index = 0; index < tensor.dims.size(); ++index) {
    const auto size = static_cast<std::size_t>(tensor.dims[index]);
    if (index < axis)
      shape.outer *= size;
    else if (index == axis)
      shape.extent = size;
    else
      shape.inner *= size;
  }
  return shape;
}

bool joinable(const TensorData& left, const TensorData& right, std::size_t axis) {
  if (left.dtype != right.dtype || left.dims.size() != right.dims.size()) return false;
  for (std::size_t index = 0; index < left.dims.size(); ++index)
    if (index != axis && left.dims[index] != right.dims[index]) return false;
  return true;
}

}  // namespace

Result<std::size_t> checked_axis(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size)
    return raised("IndexError", fmt::format("axis {} is out of range for a tensor with {} axes", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Result<TensorData> slice_axis(const TensorData& tensor, std::size_t axis, std::int64_t begin,
                              std::int64_t size) {
  const AxisShape shape = around(tensor, axis);
  std::vector<ElementRef> elements;
  for (std::size_t outer = 0; outer < shape.outer; ++outer)
    for (auto place = static_cast<std::size_t>(begin); place < static_cast<std::size_t>(begin + size);
         ++place)
      for (std::size_t inner = 0; inner < shape.inner; ++inner)
        elements.push_back({&tensor, (outer * shape.extent + place) * shape.inner + inner});
  std::vector<std::int64_t> dims = tensor.dims;
  dims[axis] = size;
  return gather(tensor.dtype, std::move(dims), elements);
}

Result<TensorData> join_axis(std::span<const TensorPtr> tensors, std::size_t axis) {
  std::vector<std::int64_t> dims = tensors[0]->dims;
  dims[axis] = 0;
  for (const TensorPtr& tensor : tensors) {
    if (!joinable(*tensors[0], *tensor, axis))
      return raised("ValueError",
                    fmt::format("tensors of sizes [{}] and [{}] cannot be joined along axis {}",
                                fmt::join(tensors[0]->dims, ", "), fmt::join(tensor->dims, ", "), axis));
    dims[axis] += tensor->dims[axis];
  }
  std::vector<ElementRef> elements;
  for (std::size_t outer = 0; outer < around(*tensors[0], axis).outer; ++outer)
    for (const TensorPtr& tensor : tensors) {
      const AxisShape shape = around(*tensor, axis);
      const std::size_t run = shape.extent * shape.inner;
      for (std::size_t index = 0; index < run; ++index)
        elements.push_back({tensor.get(), outer * run + index});
    }
  return gather(tensors[0]->dtype, std::move(dims), elements);
}

Result<TensorData> view_as(const TensorData& tensor, std::span<const std::int64_t> sizes) {
  const auto impossible = [&] {
    return raised("ValueError", fmt::format("a tensor of sizes [{}] cannot be viewed as [{}]",
                                            fmt::join(tensor.dims, ", "), fmt::join(sizes, ", ")));
  };
  std::vector<std::int64_t> dims(sizes.begin(), sizes.end());
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == -1) {
      open = &dims[axis];
      continue;
    }
    if (dims[axis] == 0) {
      if (axis >= tensor.dims.size()) return impossible();
      dims[axis] = tensor.dims[axis];
    }
    if (__builtin_mul_overflow(known, dims[axis], &known)) return impossible();
  }
  if (open != nullptr) {
    if (known == 0 || tensor.count() % known != 0) return impossible();
    *open = tensor.count() / known;
  } else if (known != tensor.count()) {
    return impossible();
  }
  TensorData view = tensor;
  view.dims = std::move(dims);
  return view;
}

}  // namespace dycl
