// SPDX-License-Identifier: Apache-2.0
#include "pipeline/fragment_reader.h"

#include "backend/registry.h"
#include "import_onnx/fragment_from_onnx.h"
#include "subnet/backend_inference.h"

namespace dycl::pipeline {

FragmentReader::FragmentReader(std::unique_ptr<TypeInference> inference) : inference_(std::move(inference)) {}
FragmentReader::FragmentReader(FragmentReader&&) noexcept = default;
FragmentReader::~FragmentReader() = default;

Result<FragmentReader> FragmentReader::open(BackendRegistry& backends) {
  auto backend = backends.open_reference();
  if (!backend) return failure_of(std::move(backend));
  return FragmentReader(std::make_unique<subnet::BackendTypeInference>(*backend));
}

Result<FragmentPtr> FragmentReader::read(std::string_view function_proto,
                                         std::span<const std::string> input_types,
                                         std::span<const std::string> output_types, std::string name,
                                         std::string key, std::string aten) {
  Result<import_onnx::FragmentTypes> types = import_onnx::fragment_types(input_types, output_types);
  if (!types) return failure_of(std::move(types));
  return import_onnx::fragment_from_onnx(function_proto, std::move(*types),
                                         {std::move(name), std::move(key), std::move(aten)},
                                         inference_.get());
}

}  // namespace dycl::pipeline
