// SPDX-License-Identifier: Apache-2.0
#include "tvm/functions.h"

#include <cstring>
#include <memory>
#include <vector>

namespace dycl::tvm {
namespace {

// A tensor of ours that TVM owns.
struct OwnTensor {
  DLManagedTensor managed;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> storage;  // with room to begin at an aligned address
};

void free_own(DLManagedTensor* managed) {
  const std::unique_ptr<OwnTensor> ends_here(static_cast<OwnTensor*>(managed->context));
}

int make_tensor(const FfiFunctions& ffi, std::vector<std::int64_t> dims,
                const std::vector<std::int64_t>& elements, Any* result) {
  constexpr std::size_t alignment = 64;
  auto own = std::make_unique<OwnTensor>();
  own->dims = std::move(dims);
  own->storage.resize(elements.size() + alignment / sizeof(std::int64_t));
  void* memory = own->storage.data();
  std::size_t room = own->storage.size() * sizeof(std::int64_t);
  std::align(alignment, elements.size() * sizeof(std::int64_t), memory, room);
  if (!elements.empty()) std::memcpy(memory, elements.data(), elements.size() * sizeof(std::int64_t));
  own->managed.tensor = {
      memory, {}, static_cast<std::int32_t>(own->dims.size()), {0, 64, 1}, own->dims.data(), nullptr, 0};
  own->managed.context = own.get();
  own->managed.deleter = free_own;
  void* tensor = nullptr;
  if (ffi.from_dlpack(&own->managed, 0, 1, &tensor) != 0) return -1;
  (void)own.release();  // the deleter has it
  result->kind = Any::Tensor;
  result->object = tensor;
  return 0;
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
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) count *= tensor.dims[axis];
  const auto* data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; place < count; ++place)
    if (!is_zero(data + place * (tensor.dtype.bits / 8), tensor.dtype)) places.push_back(place);
  return places;
}

int nonzero(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 1 || arguments[0].kind != Any::Tensor) {
    ffi.set_error("TypeError", "dycl.nonzero takes one tensor");
    return -1;
  }
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
  return make_tensor(ffi, {tensor.rank, found}, indices, result);
}

int shape_to_tensor(void* self, const Any* arguments, std::int32_t count, Any* result) {
  const auto& ffi = *static_cast<const FfiFunctions*>(self);
  if (count != 1 || arguments[0].kind != Any::Shape) {
    ffi.set_error("TypeError", "dycl.shape_to_tensor takes one shape");
    return -1;
  }
  const std::span<const std::int64_t> sizes = sizes_in(arguments[0].object);
  return make_tensor(ffi, {static_cast<std::int64_t>(sizes.size())}, {sizes.begin(), sizes.end()}, result);
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
  return done;
}

}  // namespace dycl::tvm
