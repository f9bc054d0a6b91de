// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tvm/functions.h"
#include "tvm/own_tensor.h"

namespace dycl::tvm {
namespace {

struct Range {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// ONNX's rule: negative bounds count from the end, and bounds outside are moved inside.
Range range_of(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    return {start, step, end <= start ? 0 : (end - start - 1) / step + 1};
  }
  start = std::clamp<std::int64_t>(start, -1, size - 1);
  end = std::clamp<std::int64_t>(end, -1, size - 1);
  // The smallest step has no positive counterpart; any step beyond the size takes one element.
  const std::int64_t back = step < -size ? size + 1 : -step;
  return {start, -back, start <= end ? 0 : (start - end - 1) / back + 1};
}

bool is_list(const Any& argument, std::int64_t length) {
  if (argument.kind != Any::Tensor) return false;
  const DLTensor& tensor = tensor_in(argument.object);
  return tensor.rank == 1 && tensor.dtype.code == 0 && tensor.dtype.bits == 64 && tensor.dims[0] == length;
}

const std::int64_t* numbers_in(const Any& argument) {
  const DLTensor& tensor = tensor_in(argument.object);
  return reinterpret_cast<const std::int64_t*>(static_cast<const std::byte*>(tensor.data) +
                                               tensor.byte_offset);
}

// False when an axis is out of range or a step is 0.
bool read_ranges(const DLTensor& x, const Any* lists, std::int64_t length, std::vector<Range>& ranges) {
  for (std::int32_t axis = 0; axis < x.rank; ++axis) ranges.push_back({0, 1, x.dims[axis]});
  for (std::int64_t at = 0; at < length; ++at) {
    std::int64_t axis = numbers_in(lists[2])[at];
    if (axis < 0) axis += x.rank;
    const std::int64_t step = numbers_in(lists[3])[at];
    if (axis < 0 || axis >= x.rank || step == 0) return false;
    ranges[static_cast<std::size_t>(axis)] =
        range_of(numbers_in(lists[0])[at], numbers_in(lists[1])[at], step, x.dims[axis]);
  }
  return true;
}

// Element by element, the last axis running fastest.
void copy(const DLTensor& x, const std::vector<Range>& ranges, std::byte* into) {
  const std::size_t size = x.dtype.bits / 8U;
  const auto* data = static_cast<const std::byte*>(x.data) + x.byte_offset;
  std::vector<std::int64_t> index(ranges.size(), 0);
  for (;;) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis)
      place = place * x.dims[axis] + ranges[axis].start + index[axis] * ranges[axis].step;
    std::memcpy(into, data + place * static_cast<std::int64_t>(size), size);
    into += size;
    std::size_t axis = ranges.size();
    while (axis > 0 && ++index[axis - 1] == ranges[axis - 1].count) index[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

int slice(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  const bool tensors = count == 5 && arguments[0].kind == Any::Tensor && arguments[1].kind == Any::Tensor &&
                       tensor_in(arguments[1].object).rank == 1;
  const std::int64_t length = tensors ? tensor_in(arguments[1].object).dims[0] : 0;
  std::vector<Range> ranges;
  const bool understood =
      tensors &&
      std::all_of(arguments + 1, arguments + 5, [&](const Any& list) { return is_list(list, length); }) &&
      read_ranges(tensor_in(arguments[0].object), arguments + 1, length, ranges);
  if (!understood) {
    ffi.set_error("ValueError", "Slice was given axes or steps that do not exist");
    return -1;
  }
  const DLTensor& x = tensor_in(arguments[0].object);
  std::vector<std::int64_t> dims;
  for (const Range& range : ranges) dims.push_back(range.count);
  auto sliced = std::make_unique<OwnTensor>(dims, x.dtype);
  if (std::ranges::count(dims, 0) == 0) copy(x, ranges, sliced->data());
  return OwnTensor::give(ffi, std::move(sliced), result);
}

}  // namespace dycl::tvm
