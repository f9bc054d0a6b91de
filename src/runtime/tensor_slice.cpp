// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_slice.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "host_rules/indices.h"
#include "host_rules/slices.h"
#include "runtime/string_tensor.h"

namespace dycl::runtime {
namespace {

using host_rules::Strides;

// Consecutive elements of a tensor, to be put behind those of the piece before.
struct TensorPiece {
  const RuntimeTensor* source = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

std::size_t bytes_or_throw(DType dtype, const InlineDims& dims) {
  const auto count = element_count(dims.span());
  const auto bytes = count ? byte_size(dtype, *count) : std::nullopt;
  if (!bytes) throw std::bad_alloc();
  return *bytes;
}

RuntimeTensor new_tensor(DType dtype, const InlineDims& dims, std::size_t bytes, BufferPool& pool) {
  RuntimeTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = dims;
  tensor.byte_size = bytes;
  tensor.buffer = pool.take(bytes);
  tensor.data = tensor.buffer->data;
  return tensor;
}

// `pieces(visit)` calls visit(TensorPiece) in the order of the result's elements, each time the same way.
template <class Pieces>
RuntimeTensor assemble_plain(DType dtype, const InlineDims& dims, const Pieces& pieces, BufferPool& pool) {
  RuntimeTensor result = new_tensor(dtype, dims, bytes_or_throw(dtype, dims), pool);
  const std::size_t bits = bit_width(dtype);
  if (bits < 8) std::memset(result.data, 0, result.byte_size);
  std::int64_t position = 0;
  pieces([&](const TensorPiece& piece) {
    host_rules::copy_piece({piece.source->data, piece.begin, piece.count}, result.data, position, bits);
    position += piece.count;
  });
  return result;
}

template <class Pieces>
RuntimeTensor assemble_strings(const InlineDims& dims, const Pieces& pieces, BufferPool& pool) {
  const auto reader = [](const TensorPiece& piece) {
    return StringReader(piece.source->count(), piece.source->data);
  };
  std::int64_t characters = 0;
  pieces([&](const TensorPiece& piece) {
    const StringReader strings = reader(piece);
    characters += strings.offset(piece.begin + piece.count) - strings.offset(piece.begin);
  });
  const auto count = element_count(dims.span());
  if (!count) throw std::bad_alloc();
  const std::size_t header = static_cast<std::size_t>(*count + 1) * sizeof(std::int64_t);
  RuntimeTensor result = new_tensor(DType::String, dims, header + static_cast<std::size_t>(characters), pool);
  auto* offsets = reinterpret_cast<std::int64_t*>(result.data);
  std::int64_t end = 0;
  *offsets++ = 0;
  pieces([&](const TensorPiece& piece) {
    const StringReader strings = reader(piece);
    const std::int64_t begin = strings.offset(piece.begin);
    const std::int64_t shift = end - begin;
    for (std::int64_t index = 1; index <= piece.count; ++index)
      *offsets++ = strings.offset(piece.begin + index) + shift;
    const std::int64_t length = strings.offset(piece.begin + piece.count) - begin;
    std::memcpy(result.data + header + end, strings.characters() + begin, static_cast<std::size_t>(length));
    end += length;
  });
  return result;
}

// Without elements there is nothing to visit, however large the other sizes are.
template <class Pieces>
RuntimeTensor assemble(DType dtype, const InlineDims& dims, const Pieces& pieces, BufferPool& pool) {
  const auto nothing = [](const auto&) {};
  const bool empty = element_count(dims.span()) == 0;
  if (dtype == DType::String)
    return empty ? assemble_strings(dims, nothing, pool) : assemble_strings(dims, pieces, pool);
  return empty ? assemble_plain(dtype, dims, nothing, pool) : assemble_plain(dtype, dims, pieces, pool);
}

// The part as a view, when it is one run of whole bytes in the tensor's memory.
std::optional<RuntimeTensor> contiguous_part(const RuntimeTensor& tensor, const AxisPart& part,
                                             const Strides& strides) {
  std::size_t offset = 0;
  if (tensor.dtype == DType::String ||
      !host_rules::is_one_run(strides, part.begin, bit_width(tensor.dtype), offset))
    return std::nullopt;
  RuntimeTensor view = tensor;
  view.dims[part.axis] = part.size;
  view.byte_size = byte_size(tensor.dtype, part.size * strides.inner).value_or(0);
  if (view.data != nullptr) view.data += offset;
  return view;
}

}  // namespace

std::optional<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank) {
  std::size_t place = 0;
  return host_rules::resolve_axis(axis, rank, place) ? std::optional(place) : std::nullopt;
}

Failure axis_error(std::int64_t axis, const RuntimeTensor& tensor) {
  return raised("IndexError",
                fmt::format("axis {} is out of range for {}", axis, describe(RuntimeValue(tensor))));
}

RuntimeTensor slice(const RuntimeTensor& tensor, AxisPart part, BufferPool& pool) {
  if (part.begin == 0 && part.size == tensor.dims[part.axis]) return tensor;
  const Strides strides = host_rules::strides_of(tensor.dims, part.axis);
  if (auto view = contiguous_part(tensor, part, strides)) return std::move(*view);
  InlineDims dims = tensor.dims;
  dims[part.axis] = part.size;
  const auto pieces = [&](const auto& visit) {
    for (std::int64_t outer = 0; outer < strides.outer; ++outer)
      visit(TensorPiece{&tensor, (outer * tensor.dims[part.axis] + part.begin) * strides.inner,
                        part.size * strides.inner});
  };
  return assemble(tensor.dtype, dims, pieces, pool);
}

void remove_axis(RuntimeTensor& tensor, std::size_t axis) { host_rules::remove_axis(tensor.dims, axis); }
void add_axis(RuntimeTensor& tensor, std::size_t axis) { host_rules::add_axis(tensor.dims, axis); }

RuntimeTensor concatenate(std::span<const RuntimeValue> tensors, std::size_t axis, bool new_axis,
                          BufferPool& pool) {
  RuntimeTensor first = *tensors[0].tensor();
  if (new_axis) add_axis(first, axis);
  if (tensors.size() == 1) return first;
  const auto extent = [&](const RuntimeTensor& tensor) { return new_axis ? 1 : tensor.dims[axis]; };
  InlineDims dims = first.dims;
  dims[axis] = 0;
  for (const RuntimeValue& value : tensors)
    if (__builtin_add_overflow(dims[axis], extent(*value.tensor()), &dims[axis])) throw std::bad_alloc();
  const Strides strides = host_rules::strides_of(first.dims, axis);
  const auto pieces = [&](const auto& visit) {
    for (std::int64_t outer = 0; outer < strides.outer; ++outer)
      for (const RuntimeValue& value : tensors) {
        const std::int64_t count = extent(*value.tensor()) * strides.inner;
        visit(TensorPiece{value.tensor(), outer * count, count});
      }
  };
  return assemble(first.dtype, dims, pieces, pool);
}

RuntimeTensor empty_tensor(DType dtype, const InlineDims& dims, BufferPool& pool) {
  return assemble(dtype, dims, [](const auto&) {}, pool);
}

}  // namespace dycl::runtime
