// SPDX-License-Identifier: Apache-2.0
#include "runtime/element.h"

#include <fmt/format.h>

namespace dycl::runtime {

Result<Scalar> read_single_element(const RuntimeTensor& tensor) {
  if (tensor.device.kind != DeviceKind::Cpu)
    return fail(Blame::Unsupported, "run.device", "a value on another device cannot be read by the host");
  if (tensor.count() != 1)
    return raised("ValueError", fmt::format("only a tensor with one element can become a scalar, this is {}",
                                            describe(RuntimeValue(tensor))));
  return read_element(tensor.dtype, tensor.data);
}

}  // namespace dycl::runtime
