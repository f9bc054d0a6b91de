// SPDX-License-Identifier: Apache-2.0
// Weights in the safetensors format: 8 bytes of header length, a JSON header, then the tensors, which
// tile the rest of the file. Every tensor starts at a multiple of 64; the gaps are tensors of their
// own ("__padding__.N"), because the format allows no holes. Element types that the format lacks
// (strings, 4-bit, 2-bit, …) are stored as U8 with their real type in the header's metadata.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl {

// Makes the pieces of the file in order. They are views into `weights`, which must stay alive while they are
// used.
struct SafetensorsImage {
  std::string header;
  std::vector<std::span<const std::byte>> tensors;  // weights and padding, in file order

  [[nodiscard]] std::vector<std::span<const std::byte>> pieces() const;
};
Result<SafetensorsImage> make_safetensors(const std::map<std::string, TensorPtr>& weights);

// Returns the tensors as views into `file`, which `owner` keeps alive.
Result<std::map<std::string, TensorPtr>> read_safetensors(std::span<const std::byte> file,
                                                          const std::shared_ptr<const void>& owner);

// Checks that the contents fit dtype and dims: sizes agree, strings stay inside, bools are 0 or 1.
Status check_tensor(const TensorData& tensor);

}  // namespace dycl
