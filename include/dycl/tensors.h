/* SPDX-License-Identifier: Apache-2.0 */
/* How tensors go into a compiled sub-DNN and come out of it: between backends, DyCL, and the programs that
 * `dycl emit` writes. `dtype` is a number of ONNX's TensorProto.DataType (dycl_dtype), a device has DLPack's
 * numbers (1 is the CPU). A string tensor of n elements has n+1 int64 offsets followed by the characters. */
#ifndef DYCL_TENSORS_H
#define DYCL_TENSORS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DYCL_MAX_RANK = 16 };

/* A tensor that the callee may read, row-major and contiguous; `data` is not null, also if it is empty. */
typedef struct dycl_kernel_input {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  size_t byte_size;
  int32_t device_kind;
  int32_t device_index;
} dycl_kernel_input;

/* A result. The caller may offer memory (`buffer`, `capacity`, together with the exact `dtype`, `rank`,
 * `dims` it expects); then the callee writes there and leaves `owner` null. If no memory is offered (buffer
 * null), the callee provides it: it fills every field, and the caller calls release(owner) when the last
 * reader is done, from any thread. A result whose type differs from the offer is handed back in the callee's
 * memory (data != buffer), never written past `capacity`. The caller sets `data`, `owner` and `release` to
 * null before each run. */
typedef struct dycl_kernel_output {
  void* buffer;
  size_t capacity;
  int32_t dtype;
  int32_t rank;
  int64_t dims[DYCL_MAX_RANK];
  const void* data;
  size_t byte_size;
  void* owner;
  void (*release)(void* owner);
} dycl_kernel_output;

#ifdef __cplusplus
}
#endif

#endif /* DYCL_TENSORS_H */
