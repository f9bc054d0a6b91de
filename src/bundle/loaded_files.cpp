// SPDX-License-Identifier: Apache-2.0
#include "bundle/loaded_files.h"

#include <link.h>

namespace dycl::bundle {

LoadedFiles loaded_files() {
  LoadedFiles files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        const std::filesystem::path path(info->dlpi_name == nullptr ? "" : info->dlpi_name);
        std::error_code error;
        const std::filesystem::path file = std::filesystem::canonical(path, error);
        if (!error) static_cast<LoadedFiles*>(list)->emplace(path.filename().string(), file);
        return 0;
      },
      &files);
  return files;
}

}  // namespace dycl::bundle
