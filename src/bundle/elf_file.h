// SPDX-License-Identifier: Apache-2.0
// What an ELF file says of the files that it needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace dycl::bundle {

struct ElfFile {
  std::vector<std::string> needed;  // names of libraries, as the file states them: "libm.so.6"
  std::string loader;               // the path of the program's loader; empty for a library
};

// Reads a 64-bit ELF file of this machine's byte order; others are Blame::Usage, "bundle.not_elf".
Result<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace dycl::bundle
