// SPDX-License-Identifier: Apache-2.0
// The sub-DNNs and weights of a package, loaded by libdycl.
#pragma once

#include <dycl/kernels.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emitted/failures.h"
#include "emitted/tables.h"

namespace dycl::emitted {

struct Settings {
  int threads = 0;
  const char* const* plugin_folders = nullptr;
  std::size_t plugin_folder_count = 0;
  const char* const* vendor_folders = nullptr;
  std::size_t vendor_folder_count = 0;
  bool allow_native = false;
};

// A package that is part of the program; empty if it lies beside it.
struct Embedded {
  const unsigned char* begin = nullptr;
  const unsigned char* end = nullptr;

  std::size_t size() const {
    return reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(begin);
  }
};

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const { Free(handle); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

// The loaded sub-DNNs and weights of one package. Sessions of any thread share it.
class LoadedKernels {
 public:
  // Without a path, it is the embedded package that is loaded.
  LoadedKernels(const ProgramTables& tables, const char* package, const Embedded& embedded,
                const Settings& settings)
      : tables_(tables) {
    if (package == nullptr && embedded.size() == 0)
      fail(Code::Usage, "run.null_argument", "the argument 'package' is null, and no package is embedded");
    const dycl_runtime_options options{sizeof options,          settings.threads,
                                       settings.plugin_folders, settings.plugin_folder_count,
                                       settings.vendor_folders, settings.vendor_folder_count};
    dycl_runtime* runtime = nullptr;
    check(dycl_runtime_create(&options, &runtime), Code::Load);
    const Handle<dycl_runtime, dycl_runtime_free> owned(runtime);
    const dycl_load_options load{sizeof load, 0, settings.allow_native ? 1 : 0};
    const dycl_kernel_request request{sizeof request, DYCL_KERNELS_ABI, tables.kernels, tables.site_count};
    dycl_kernels* kernels = nullptr;
    check(package != nullptr
              ? dycl_kernels_load(runtime, package, &load, &request, &kernels)
              : dycl_kernels_load_bytes(runtime, embedded.begin, embedded.size(), &load, &request, &kernels),
          Code::Load);
    kernels_.reset(kernels);
    for (std::size_t index = 0; index < tables.weight_count; ++index) {
      dycl_tensor_view view{};
      check(dycl_kernels_weight(kernels, tables.weights[index], &view), Code::Load);
      weights_.push_back(view.data);
    }
  }

  const ProgramTables& tables() const { return tables_; }
  const dycl_kernels* get() const { return kernels_.get(); }
  const void* weight(std::size_t index) const { return weights_[index]; }

 private:
  const ProgramTables& tables_;
  Handle<dycl_kernels, dycl_kernels_free> kernels_;
  std::vector<const void*> weights_;
};

}  // namespace dycl::emitted
