// SPDX-License-Identifier: Apache-2.0
// What the processor says of itself, and what in it has been seen to go wrong with a backend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dycl::cli {

struct CpuFacts {
  std::string model;
  unsigned cores = 0;
  std::vector<std::string> features;  // of those that backends choose their code by
  std::vector<std::string> notes;     // sentences
};

CpuFacts parse_cpu_info(std::string_view cpu_info);  // the text of /proc/cpuinfo
CpuFacts read_cpu_facts();

}  // namespace dycl::cli
