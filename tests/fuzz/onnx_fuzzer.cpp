// SPDX-License-Identifier: Apache-2.0
// Any bytes are an ONNX model that is imported and verified, or refused: no crash, no internal error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hcfg/verify.h"
#include "import_onnx/import_onnx.h"
#include "import_onnx/read_model.h"
#include "support/rough_inference.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto model = dycl::import_onnx::read_model_bytes(bytes, "fuzz.onnx");
  if (!model) return 0;
  dycl::test::RoughInference inference;
  const auto graph = dycl::import_onnx::import_onnx(**model, inference, {"fuzz.onnx", {}, {}, {}});
  if (graph && !dycl::verify(*graph)) __builtin_trap();
  return 0;
}
