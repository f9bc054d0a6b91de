// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/disk_cache.h"
#include "cli/command.h"

namespace dycl::cli {
namespace {

struct CacheArguments {
  bool clear = false;
  bool json = false;
};

Status print_use(const DiskCache& cache, bool json) {
  const std::map<std::string, CacheUse> uses = cache.use();
  if (json) {
    nlohmann::json kinds = nlohmann::json::object();
    for (const auto& [kind, use] : uses) kinds[kind] = {{"entries", use.entries}, {"bytes", use.bytes}};
    return write_json({{"folder", cache.folder().string()}, {"kinds", kinds}}, "-");
  }
  std::cout << cache.folder().string() << (uses.empty() ? ": empty\n" : "\n");
  for (const auto& [kind, use] : uses)
    std::cout << fmt::format("  {:<14} {:>6} entries, {}\n", kind, use.entries, size_text(use.bytes));
  return {};
}

Status show_or_clear(const CacheArguments& arguments, const Environment& environment) {
  if (environment.cache.empty())
    return fail(Blame::Usage, "cache.no_folder", "there is no folder for the compile cache", {},
                "set HOME or XDG_CACHE_HOME");
  DiskCache cache(compiled_folder(environment));
  if (arguments.clear) cache.clear();
  return print_use(cache, arguments.json);
}

}  // namespace

void add_cache_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<CacheArguments>();
  CLI::App& command = *app.add_subcommand("cache", "Show or clear the compile cache");
  command.footer(
      "The cache keeps compiled sub-DNNs, lowered calls of torch and timings of --backend auto, below\n"
      "XDG_CACHE_HOME/dycl or ~/.cache/dycl. It uses an entry only if nothing that the entry depends on has\n"
      "changed. Beyond 4 GiB it removes the least recently used entries.");
  command.add_flag("--clear", arguments->clear, "Remove everything from the cache");
  command.add_flag("--json", arguments->json, "Print the summary as JSON");
  add_verbosity_options(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments, &invocation](Reporter&) {
      return show_or_clear(*arguments, invocation.environment);
    };
  });
}

}  // namespace dycl::cli
