// SPDX-License-Identifier: Apache-2.0
#include "cli/cpu_facts.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

namespace dycl::cli {
namespace {

constexpr std::array<std::string_view, 9> kFeatures{
    "sse4_2", "avx", "avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8"};

std::string value_after(std::string_view text, std::string_view key) {
  const std::size_t found = text.find(key);
  if (found == std::string_view::npos) return "";
  const std::string_view line = text.substr(found, text.find('\n', found) - found);
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? "" : std::string(line.substr(colon + 2));
}

}  // namespace

CpuFacts parse_cpu_info(std::string_view cpu_info) {
  CpuFacts facts;
  facts.model = value_after(cpu_info, "model name");
  std::istringstream words(value_after(cpu_info, "flags"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  for (const std::string_view feature : kFeatures)
    if (flags.contains(std::string(feature))) facts.features.emplace_back(feature);
  if (flags.contains("avx512_bf16") || flags.contains("amx_bf16"))
    facts.notes.emplace_back(
        "this processor offers bf16 arithmetic, which a vendor's library may use by default and which has "
        "been seen to end in an illegal instruction: DyCL pins f32");
  if (!flags.empty() && !flags.contains("avx2"))
    facts.notes.emplace_back("this processor lacks AVX2: the backends run, but slowly");
  return facts;
}

CpuFacts read_cpu_facts() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  CpuFacts facts = parse_cpu_info(text.str());
  facts.cores = std::max(1u, std::thread::hardware_concurrency());
  return facts;
}

}  // namespace dycl::cli
