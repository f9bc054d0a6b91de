// SPDX-License-Identifier: Apache-2.0
// The C interface of one compiled library (torch's aoti_runtime/interface.h).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "aot_inductor/torch_api.h"
#include "base/result.h"

namespace dycl::aot_inductor {

struct ContainerObject;
using ContainerHandle = ContainerObject*;

// A compiled library, which is loaded once per process and never unloaded. Functions that can fail return 0
// for success.
struct ModelLibrary {
  int (*create)(ContainerHandle* container, std::size_t models, const char* device, const char* folder);
  int (*destroy)(ContainerHandle container);
  int (*input_count)(ContainerHandle container, std::size_t* count);
  int (*output_count)(ContainerHandle container, std::size_t* count);
  // Takes over the handles of the inputs and gives those of the outputs. One thread at a time may call it.
  int (*run)(ContainerHandle container, TensorHandle* inputs, std::size_t input_count, TensorHandle* outputs,
             std::size_t output_count, void* stream, void* executor);
  int (*last_error)(const char** text);
  std::shared_ptr<const void> file;  // the file that it was loaded from

  [[nodiscard]] std::string why() const;  // the last failure of this thread
};

// Holds the loaded libraries by contents, so that equal sub-DNNs share one. It is thread safe.
class LibraryTable {
 public:
  Result<std::shared_ptr<const ModelLibrary>> load(std::string_view bytes, const std::string& sha256);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ModelLibrary>> loaded_;  // never forgotten
};

}  // namespace dycl::aot_inductor
