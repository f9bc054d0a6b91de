// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX model: what is read is written, read again and written as the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "onnx_wire/read_model.h"
#include "onnx_wire/write_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = dycl::onnx_wire::read_model({reinterpret_cast<const char*>(data), size});
  if (!model) return 0;
  for (const dycl::onnx_wire::Tensor& tensor : model->initializers) {
    static_cast<void>(integer_elements(tensor));
    static_cast<void>(f32_elements(tensor));
  }
  const std::string written = write_model(*model);
  const auto again = dycl::onnx_wire::read_model(written);
  if (!again || write_model(*again) != written) std::abort();
  return 0;
}
