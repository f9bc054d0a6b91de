// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_slice.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "runtime/string_tensor.h"

namespace dycl::runtime {
namespace {

// Sizes around an axis, in elements. They overflow only beside a size of 0, where nothing is copied.
struct Strides {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
};

Strides strides_of(const InlineDims& dims, std::size_t axis) {
  const auto sizes = dims.span();
  return {element_count(sizes.first(axis)).value_or(0), element_count(sizes.subspan(axis + 1)).value_or(0)};
}

// Consecutive elements of a source, to be put behind those of the piece before.
struct Piece {
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

// Sub-byte elements, low bits first; `target` starts as zeros.
void copy_packed(const Piece& piece, std::byte* target, std::int64_t position, std::size_t bits) {
  const std::size_t per_byte = 8 / bits;
  const auto mask = static_cast<unsigned>((1u << bits) - 1);
  for (std::int64_t index = 0; index < piece.count; ++index) {
    const auto from = static_cast<std::size_t>(piece.begin + index);
    const auto to = static_cast<std::size_t>(position + index);
    const unsigned byte = std::to_integer<unsigned>(piece.source->data[from / per_byte]);
    const unsigned element = (byte >> (bits * (from % per_byte))) & mask;
    target[to / per_byte] |= static_cast<std::byte>(element << (bits * (to % per_byte)));
  }
}

// `pieces(visit)` calls visit(Piece) in the order of the result's elements, each time the same way.
template <class Pieces>
RuntimeTensor assemble_plain(DType dtype, const InlineDims& dims, const Pieces& pieces, BufferPool& pool) {
  RuntimeTensor result = new_tensor(dtype, dims, bytes_or_throw(dtype, dims), pool);
  const std::size_t bits = bit_width(dtype);
  if (bits < 8) std::memset(result.data, 0, result.byte_size);
  std::int64_t position = 0;
  pieces([&](const Piece& piece) {
    const std::size_t width = bits / 8;
    if (bits < 8)
      copy_packed(piece, result.data, position, bits);
    else if (piece.count > 0)
      std::memcpy(result.data + static_cast<std::size_t>(position) * width,
                  piece.source->data + static_cast<std::size_t>(piece.begin) * width,
                  static_cast<std::size_t>(piece.count) * width);
    position += piece.count;
  });
  return result;
}

template <class Pieces>
RuntimeTensor assemble_strings(const InlineDims& dims, const Pieces& pieces, BufferPool& pool) {
  const auto reader = [](const Piece& piece) {
    return StringReader(piece.source->count(), piece.source->data);
  };
  std::int64_t characters = 0;
  pieces([&](const Piece& piece) {
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
  pieces([&](const Piece& piece) {
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
  if (tensor.dtype == DType::String || strides.outer != 1) return std::nullopt;
  const std::size_t bits = bit_width(tensor.dtype) * static_cast<std::size_t>(part.begin * strides.inner);
  if (bits % 8 != 0) return std::nullopt;
  RuntimeTensor view = tensor;
  view.dims[part.axis] = part.size;
  view.byte_size = byte_size(tensor.dtype, part.size * strides.inner).value_or(0);
  if (view.data != nullptr) view.data += bits / 8;
  return view;
}

}  // namespace

std::optional<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Failure axis_error(std::int64_t axis, const RuntimeTensor& tensor) {
  return raised("IndexError",
                fmt::format("axis {} is out of range for {}", axis, describe(RuntimeValue(tensor))));
}

RuntimeTensor slice(const RuntimeTensor& tensor, AxisPart part, BufferPool& pool) {
  if (part.begin == 0 && part.size == tensor.dims[part.axis]) return tensor;
  const Strides strides = strides_of(tensor.dims, part.axis);
  if (auto view = contiguous_part(tensor, part, strides)) return std::move(*view);
  InlineDims dims = tensor.dims;
  dims[part.axis] = part.size;
  const auto pieces = [&](const auto& visit) {
    for (std::int64_t outer = 0; outer < strides.outer; ++outer)
      visit(Piece{&tensor, (outer * tensor.dims[part.axis] + part.begin) * strides.inner,
                  part.size * strides.inner});
  };
  return assemble(tensor.dtype, dims, pieces, pool);
}

void remove_axis(RuntimeTensor& tensor, std::size_t axis) {
  const std::size_t rank = tensor.dims.size();
  for (std::size_t index = axis; index + 1 < rank; ++index) tensor.dims[index] = tensor.dims[index + 1];
  tensor.dims.resize(rank - 1);
}

void add_axis(RuntimeTensor& tensor, std::size_t axis) {
  const std::size_t rank = tensor.dims.size();
  tensor.dims.resize(rank + 1);
  for (std::size_t index = rank; index > axis; --index) tensor.dims[index] = tensor.dims[index - 1];
  tensor.dims[axis] = 1;
}

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
  const Strides strides = strides_of(first.dims, axis);
  const auto pieces = [&](const auto& visit) {
    for (std::int64_t outer = 0; outer < strides.outer; ++outer)
      for (const RuntimeValue& value : tensors) {
        const std::int64_t count = extent(*value.tensor()) * strides.inner;
        visit(Piece{value.tensor(), outer * count, count});
      }
  };
  return assemble(first.dtype, dims, pieces, pool);
}

RuntimeTensor empty_tensor(DType dtype, const InlineDims& dims, BufferPool& pool) {
  return assemble(dtype, dims, [](const auto&) {}, pool);
}

}  // namespace dycl::runtime
