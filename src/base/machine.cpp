// SPDX-License-Identifier: Apache-2.0
#include "base/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace dycl {

const std::set<std::string>& processor_features() {
  static const std::set<std::string> features = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
      std::istringstream words(line.substr(std::min(line.find(':') + 1, line.size())));
      return std::set<std::string>{std::istream_iterator<std::string>(words), {}};
    }
    return std::set<std::string>();
  }();
  return features;
}

std::string identity_of(const std::filesystem::path& file) {
  if (file.empty()) return "none";
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}", file.string(), size, time);
}

}  // namespace dycl
