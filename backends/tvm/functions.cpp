// SPDX-License-Identifier: Apache-2.0
#include "tvm/functions.h"

#include <cstring>
#include <memory>
#include <vector>

#include "tvm/own_tensor.h"

namespace dycl::tvm {
namespace {

constexpr DLDataType i64_type{0, 64, 1};

int fail_with(const FfiFunctions& ffi, const char* message) {
  ffi.set_error("ValueError", message);
  return -1;
}

int give_tensor(const FfiFunctions& ffi, std::vector<std::int64_t> dims,
                std::span<const std::int64_t> elements, Any* result) {
  auto tensor = std::make_unique<OwnTensor>(std::move(dims), i64_type);
  if (!elements.empty()) std::memcpy(tensor->data(), elements.data(), elements.size_bytes());
  return OwnTensor::give(ffi, std::move(tensor), result);
}

int give_shape(const FfiFunctions& ffi, const std::vector<std::int64_t>& sizes, Any* result) {
  constexpr std::string_view name = "ffi.Shape";
  const Bytes text{name.data(), name.size()};
  void* function = nullptr;
  if (ffi.find_global(&text, &function) != 0 || function == nullptr)
    return fail_with(ffi, "TVM makes no shapes");
  const Object owned(ffi, function);
  std::vector<Any> arguments;
  for (const std::int64_t size : sizes) arguments.push_back(any(size));
  return ffi.call(function, arguments.data(), static_cast<std::int32_t>(arguments.size()), result);
}

bool is_zero(const std::byte* element, const DLDataType& dtype) {
  constexpr std::uint8_t floating = 2;
  const std::size_t size = dtype.bits / 8U;
  for (std::size_t at = 0; at < size; ++at) {
    const bool top_of_float = dtype.code == floating && at + 1 == size;  // minus zero is zero
    const std::byte bits = top_of_float ? element[at] & std::byte{0x7f} : element[at];
    if (bits != std::byte{0}) return false;
  }
  return true;
}

// In the order of the elements; contiguous, as TVM's tensors are.
std::vector<std::int64_t> places_of_nonzero(const DLTensor& tensor) {
  const std::int64_t count = element_count(tensor);
  const auto* data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; place < count; ++place)
    if (!is_zero(data + place * (tensor.dtype.bits / 8), tensor.dtype)) places.push_back(place);
  return places;
}

int nonzero(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 1 || arguments[0].kind != Any::Tensor) return fail_with(ffi, "dycl.nonzero takes one tensor");
  const DLTensor& tensor = tensor_in(arguments[0].object);
  const std::vector<std::int64_t> places = places_of_nonzero(tensor);
  const auto found = static_cast<std::int64_t>(places.size());
  std::vector<std::int64_t> indices(places.size() * static_cast<std::size_t>(tensor.rank));
  std::int64_t inner = 1;
  for (std::int32_t axis = tensor.rank - 1; axis >= 0; --axis) {
    for (std::int64_t at = 0; at < found; ++at)
      indices[static_cast<std::size_t>(axis * found + at)] =
          places[static_cast<std::size_t>(at)] / inner % tensor.dims[axis];
    inner *= tensor.dims[axis];
  }
  return give_tensor(ffi, {tensor.rank, found}, indices, result);
}

int shape_to_tensor(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 1 || arguments[0].kind != Any::Shape)
    return fail_with(ffi, "dycl.shape_to_tensor takes one shape");
  const std::span<const std::int64_t> sizes = sizes_in(arguments[0].object);
  return give_tensor(ffi, {static_cast<std::int64_t>(sizes.size())}, sizes, result);
}

int broadcast_shape(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 2 || arguments[0].kind != Any::Shape || arguments[1].kind != Any::Shape)
    return fail_with(ffi, "dycl.broadcast_shape takes two shapes");
  std::span<const std::int64_t> longer = sizes_in(arguments[0].object);
  std::span<const std::int64_t> shorter = sizes_in(arguments[1].object);
  if (longer.size() < shorter.size()) std::swap(longer, shorter);
  std::vector<std::int64_t> sizes(longer.begin(), longer.end());
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& size = sizes[offset + axis];
    if (size == 1)
      size = shorter[axis];
    else if (shorter[axis] != 1 && shorter[axis] != size)
      return fail_with(ffi, "the shapes of two operands do not broadcast");
  }
  return give_shape(ffi, sizes, result);
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) result *= size;
  return result;
}

// ONNX: 0 keeps a size unless zeros are allowed, one -1 takes what is left.
int reshape_shape(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 3 || arguments[0].kind != Any::Shape || arguments[1].kind != Any::Shape)
    return fail_with(ffi, "dycl.reshape_shape takes two shapes and a number");
  const std::span<const std::int64_t> from = sizes_in(arguments[0].object);
  const std::span<const std::int64_t> target = sizes_in(arguments[1].object);
  std::vector<std::int64_t> sizes(target.begin(), target.end());
  std::int64_t known = 1;
  std::size_t open = sizes.size();
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 0 && arguments[2].integer == 0) {
      if (axis >= from.size()) return fail_with(ffi, "Reshape keeps a size that is not there");
      sizes[axis] = from[axis];
    }
    if (sizes[axis] >= 0) {
      known *= sizes[axis];
    } else {
      if (sizes[axis] != -1 || open != sizes.size())
        return fail_with(ffi, "Reshape was given a negative size");
      open = axis;
    }
  }
  const std::int64_t total = product(from);
  if (open != sizes.size()) {
    if (known == 0 || total % known != 0)
      return fail_with(ffi, "Reshape cannot fill the size that is left open");
    sizes[open] = total / known;
  } else if (known != total) {
    return fail_with(ffi, "Reshape was given another number of elements");
  }
  return give_shape(ffi, sizes, result);
}

void free_self(void* self) {
  const std::unique_ptr<FfiFunctions> ends_here(static_cast<FfiFunctions*>(self));
}

Status add(const FfiFunctions& ffi, std::string_view name, FfiCallback callback) {
  void* function = nullptr;
  const Bytes text{name.data(), name.size()};
  auto self = std::make_unique<FfiFunctions>(ffi);  // the function outlives the backend that registers it
  bool done = ffi.create_function(self.get(), callback, free_self, &function) == 0;
  if (done) (void)self.release();
  const Object owned(ffi, function);
  done = done && ffi.set_global(&text, function, 1) == 0;
  if (done) return {};
  return fail(Blame::Backend, "tvm.error", "TVM does not take functions of ours");
}

}  // namespace

Status register_functions(const FfiFunctions& ffi) {
  Status done = add(ffi, "dycl.nonzero", nonzero);
  if (done) done = add(ffi, "dycl.shape_to_tensor", shape_to_tensor);
  if (done) done = add(ffi, "dycl.broadcast_shape", broadcast_shape);
  if (done) done = add(ffi, "dycl.reshape_shape", reshape_shape);
  if (done) done = add(ffi, "dycl.slice", slice);
  return done;
}

}  // namespace dycl::tvm
