// SPDX-License-Identifier: Apache-2.0
// Reads fragments, which the PyTorch frontend hands over as serialized ONNX functions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hcfg/fragment.h"

namespace dycl {
class BackendRegistry;
class TypeInference;
}  // namespace dycl

namespace dycl::pipeline {

class FragmentReader {
 public:
  // The reference backend infers the types of inner values.
  static Result<FragmentReader> open(BackendRegistry& backends);

  FragmentReader(FragmentReader&&) noexcept;
  ~FragmentReader();

  Result<FragmentPtr> read(std::string_view function_proto, std::span<const std::string> input_types,
                           std::span<const std::string> output_types, std::string name, std::string key,
                           std::string aten);

 private:
  explicit FragmentReader(std::unique_ptr<TypeInference> inference);

  std::unique_ptr<TypeInference> inference_;
};

}  // namespace dycl::pipeline
