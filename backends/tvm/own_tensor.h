// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tvm/ffi.h"

namespace dycl::tvm {

// A tensor over our memory, which is filled and then given to TVM to own.
class OwnTensor {
 public:
  OwnTensor(std::vector<std::int64_t> dims, DLDataType dtype);
  [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(managed_.tensor.data); }
  // Returns 0, or -1 if TVM does not take it.
  static int give(const FfiFunctions& ffi, std::unique_ptr<OwnTensor> tensor, Any* result);

 private:
  DLManagedTensor managed_;
  std::vector<std::int64_t> dims_;
  std::vector<std::byte> storage_;  // with room to begin at an aligned address
};

std::int64_t element_count(const DLTensor& tensor);

}  // namespace dycl::tvm
