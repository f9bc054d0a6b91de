// SPDX-License-Identifier: Apache-2.0
// Tensors to and from DLPack's DLManagedTensor, declared here by its published layout.
#include <fmt/format.h>

#include "runtime/c_handles.h"

extern "C" {

typedef struct DLDevice {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};
}

namespace dycl::runtime {
namespace {

struct NamedDType {
  DType dtype;
  std::uint8_t code;  // DLPack: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool
  std::uint8_t bits;
};

constexpr NamedDType kDTypes[] = {{DType::I8, 0, 8},   {DType::I16, 0, 16},   {DType::I32, 0, 32},
                                  {DType::I64, 0, 64}, {DType::U8, 1, 8},     {DType::U16, 1, 16},
                                  {DType::U32, 1, 32}, {DType::U64, 1, 64},   {DType::F16, 2, 16},
                                  {DType::F32, 2, 32}, {DType::F64, 2, 64},   {DType::BF16, 4, 16},
                                  {DType::C64, 5, 64}, {DType::C128, 5, 128}, {DType::Bool, 6, 8}};

Failure refused(std::string what) { return fail(Blame::Usage, "run.dlpack", std::move(what)); }

bool is_contiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] != expected) return false;
    expected *= tensor.shape[axis] > 0 ? tensor.shape[axis] : 1;
  }
  return true;
}

Result<RuntimeTensor> import_tensor(const DLTensor& tensor, std::shared_ptr<const void> owner) {
  if (tensor.device.device_type != static_cast<std::int32_t>(DeviceKind::Cpu))
    return refused("only tensors in the processor's memory can be taken");
  if (tensor.ndim < 0 || tensor.ndim > DYCL_MAX_RANK)
    return refused(fmt::format("a tensor has {} dims", tensor.ndim));
  if (!is_contiguous(tensor)) return refused("the tensor is not contiguous: copy it first");
  const std::span<const std::int64_t> dims(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  for (const NamedDType& named : kDTypes) {
    if (named.code != tensor.dtype.code || named.bits != tensor.dtype.bits || tensor.dtype.lanes != 1)
      continue;
    const auto count = element_count(dims);
    const auto bytes = count ? byte_size(named.dtype, *count) : std::nullopt;
    const auto* data = static_cast<const std::byte*>(tensor.data);
    if (data != nullptr) data += tensor.byte_offset;
    return RuntimeTensor::share(named.dtype, dims, data, bytes.value_or(0), std::move(owner));
  }
  return refused(fmt::format("DLPack's dtype {}:{} is not known", tensor.dtype.code, tensor.dtype.bits));
}

// The exported struct together with what it points to.
struct Exported {
  DLManagedTensor managed{};
  RuntimeTensor tensor;
};

void delete_exported(DLManagedTensor* managed) {
  const std::unique_ptr<Exported> freed(static_cast<Exported*>(managed->manager_ctx));
}

Result<DLDataType> dlpack_dtype(DType dtype) {
  for (const NamedDType& named : kDTypes)
    if (named.dtype == dtype) return DLDataType{named.code, named.bits, 1};
  return refused(fmt::format("DLPack has no name for {}", name_of(dtype)));
}

}  // namespace
}  // namespace dycl::runtime

dycl_status* dycl_value_from_dlpack(struct DLManagedTensor* managed, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (managed == nullptr) return dycl::runtime::null_argument("managed");
    const std::shared_ptr<const void> owner(managed, [](DLManagedTensor* done) {
      if (done->deleter != nullptr) done->deleter(done);
    });
    if (value == nullptr) return dycl::runtime::null_argument("value");
    *value = nullptr;
    auto tensor = dycl::runtime::import_tensor(managed->dl_tensor, owner);
    if (!tensor) return dycl::failure_of(std::move(tensor));
    dycl::runtime::give_value(std::move(*tensor), value);
    return {};
  });
}

dycl_status* dycl_value_to_dlpack(const dycl_value* value, struct DLManagedTensor** managed) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (value == nullptr || managed == nullptr)
      return dycl::runtime::null_argument(value == nullptr ? "value" : "managed");
    *managed = nullptr;
    const dycl::runtime::RuntimeTensor* tensor = value->value.tensor();
    if (tensor == nullptr) return dycl::runtime::refused("only a tensor can be given to DLPack");
    if (!tensor->buffer) return dycl::runtime::refused("a borrowed tensor is the caller's already");
    auto dtype = dycl::runtime::dlpack_dtype(tensor->dtype);
    if (!dtype) return dycl::failure_of(std::move(dtype));
    auto made = std::make_unique<dycl::runtime::Exported>();
    made->tensor = *tensor;
    DLTensor& view = made->managed.dl_tensor;
    view.data = made->tensor.data;
    view.device = {static_cast<std::int32_t>(tensor->device.kind), tensor->device.index};
    view.ndim = static_cast<std::int32_t>(tensor->dims.size());
    view.dtype = *dtype;
    view.shape = &made->tensor.dims[0];
    made->managed.deleter = dycl::runtime::delete_exported;
    made->managed.manager_ctx = made.get();
    *managed = &made.release()->managed;
    return {};
  });
}
