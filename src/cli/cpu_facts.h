// SPDX-License-Identifier: Apache-2.0
// Describes the processor, and what is known to go wrong on it with a backend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dycl::cli {

struct CpuFacts {
  std::string model;
  unsigned cores = 0;
  std::vector<std::string> features;  // only those by which backends choose their code
  std::vector<std::string> notes;     // sentences
};

CpuFacts parse_cpu_info(std::string_view cpu_info);  // the text of /proc/cpuinfo
CpuFacts read_cpu_facts();

}  // namespace dycl::cli
