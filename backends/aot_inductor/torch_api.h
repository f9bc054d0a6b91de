// SPDX-License-Identifier: Apache-2.0
// The C functions of libtorch_cpu that running a compiled sub-DNN needs. No C++ symbol of torch is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/result.h"
#include "common/vendor_library.h"

namespace dycl::aot_inductor {

struct TensorObject;  // at::Tensor, seen by address only
using TensorHandle = TensorObject*;

class TorchApi {
 public:
  // `library` is libtorch_cpu.so in the folder torch/lib of a wheel.
  static Result<TorchApi> open(const std::string& library);

  // All but `omp_*` return 0 for success.
  int (*create_tensor_from_blob)(void* data, std::int64_t rank, const std::int64_t* sizes,
                                 const std::int64_t* strides, std::int64_t offset, std::int32_t dtype,
                                 std::int32_t device_type, std::int32_t device_index, TensorHandle* tensor);
  int (*new_tensor_handle)(TensorHandle original, TensorHandle* copy);
  int (*delete_tensor_object)(TensorHandle tensor);
  int (*get_data_ptr)(TensorHandle tensor, void** data);
  int (*get_dim)(TensorHandle tensor, std::int64_t* rank);
  int (*get_sizes)(TensorHandle tensor, std::int64_t** sizes);
  int (*get_strides)(TensorHandle tensor, std::int64_t** strides);
  int (*get_dtype)(TensorHandle tensor, std::int32_t* dtype);
  int (*is_contiguous)(TensorHandle tensor, bool* contiguous);
  int (*omp_get_max_threads)();
  void (*omp_set_num_threads)(int threads);

  std::string version;  // of torch: "2.15.0+cu132"
};

// Returns torch's number of an element type (a public and frozen list), or none for types that torch lacks.
std::optional<std::int32_t> to_torch(DType dtype);
std::optional<DType> from_torch(std::int32_t number);

}  // namespace dycl::aot_inductor
