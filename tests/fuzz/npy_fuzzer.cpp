// SPDX-License-Identifier: Apache-2.0
// Any bytes are an .npy array or a clear refusal; what was read is written and read back unchanged.
#include <cstdint>
#include <cstdlib>

#include "cli/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dycl;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const auto raw_as : {std::optional<DType>(), std::optional(DType::BF16), std::optional(DType::I4)}) {
    const auto tensor = cli::read_npy(bytes, raw_as);
    if (!tensor) {
      if (tensor.error().blame != Blame::Usage) std::abort();
      continue;
    }
    const auto file = cli::write_npy(*tensor);
    if (!file) std::abort();
    const auto again = cli::read_npy(std::as_bytes(std::span(*file)), raw_as);
    if (!again || !(*again == *tensor)) std::abort();
  }
  return 0;
}
