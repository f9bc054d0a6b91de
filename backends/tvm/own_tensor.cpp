// SPDX-License-Identifier: Apache-2.0
#include "tvm/own_tensor.h"

#include <memory>

#include "tvm/element_type.h"

namespace dycl::tvm {
namespace {

void free_own(DLManagedTensor* managed) {
  const std::unique_ptr<OwnTensor> ends_here(static_cast<OwnTensor*>(managed->context));
}

}  // namespace

std::int64_t element_count(const DLTensor& tensor) {
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) count *= tensor.dims[axis];
  return count;
}

OwnTensor::OwnTensor(std::vector<std::int64_t> dims, DLDataType dtype) : dims_(std::move(dims)) {
  managed_.tensor.rank = static_cast<std::int32_t>(dims_.size());
  managed_.tensor.dims = dims_.data();
  managed_.tensor.dtype = dtype;
  const std::size_t size = static_cast<std::size_t>(element_count(managed_.tensor)) * (dtype.bits / 8U);
  storage_.resize(size + alignment);
  managed_.tensor.data = storage_.data();
  std::size_t room = storage_.size();
  std::align(alignment, size, managed_.tensor.data, room);
}

int OwnTensor::give(const FfiFunctions& ffi, std::unique_ptr<OwnTensor> tensor, Any* result) {
  DLManagedTensor& managed = tensor->managed_;
  managed.context = tensor.get();
  managed.deleter = free_own;
  void* object = nullptr;
  if (ffi.from_dlpack(&managed, 0, 1, &object) != 0) return -1;
  (void)tensor.release();  // the deleter has it
  result->kind = Any::Tensor;
  result->object = object;
  return 0;
}

}  // namespace dycl::tvm
