// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace dycl::cli {

void add_verbosity_options(CLI::App& command, Invocation& invocation) {
  auto* verbose = command.add_flag_callback(
      "-v,--verbose", [&invocation] { invocation.verbosity = Verbosity::Verbose; }, "Print more");
  auto* quiet = command.add_flag_callback(
      "-q,--quiet", [&invocation] { invocation.verbosity = Verbosity::Quiet; }, "Print errors only");
  verbose->excludes(quiet);
}

const std::vector<std::string>& python_commands() {
  static const std::vector<std::string> commands{"explain", "verify"};
  return commands;
}

CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return command.add_option(name, values, help)->allow_extra_args(false);
}

Status write_json(const nlohmann::json& document, const std::string& file) {
  // Names come from models and may hold bytes that are not UTF-8.
  const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (file == "-") {
    std::cout << text << std::flush;
    return {};
  }
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) return fail(Blame::Usage, "file.unwritable", fmt::format("{} cannot be written", file));
  return {};
}

std::string size_text(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  const auto amount = static_cast<double>(bytes);
  if (bytes < 1000 * 1000) return fmt::format("{:.1f} kB", amount / 1e3);
  if (bytes < std::size_t{1000} * 1000 * 1000) return fmt::format("{:.1f} MB", amount / 1e6);
  return fmt::format("{:.2f} GB", amount / 1e9);
}

std::optional<std::size_t> size_of_file(const std::string& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return error ? std::nullopt : std::optional<std::size_t>(bytes);
}

std::string file_text(const std::string& file) {
  const auto bytes = size_of_file(file);
  return bytes ? fmt::format("{} ({})", file, size_text(*bytes)) : file;
}

}  // namespace dycl::cli
