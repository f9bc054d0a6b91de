// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tvm/ffi.h"

namespace dycl::tvm {

// Memory of ours as a tensor that TVM owns; written into before it is given away.
class OwnTensor {
 public:
  OwnTensor(std::vector<std::int64_t> dims, DLDataType dtype);
  [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(managed_.tensor.data); }
  // 0, or -1 when TVM does not take it.
  static int give(const FfiFunctions& ffi, std::unique_ptr<OwnTensor> tensor, Any* result);

 private:
  DLManagedTensor managed_;
  std::vector<std::int64_t> dims_;
  std::vector<std::byte> storage_;  // with room to begin at an aligned address
};

std::int64_t element_count(const DLTensor& tensor);

}  // namespace dycl::tvm
