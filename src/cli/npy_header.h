// SPDX-License-Identifier: Apache-2.0
// The header of an .npy array: magic, version and a Python dict literal of exactly three keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl::cli {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;
};

Result<NpyHeader> read_npy_header(std::span<const std::byte> bytes);

std::string write_npy_header(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace dycl::cli
