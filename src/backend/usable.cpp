// SPDX-License-Identifier: Apache-2.0
#include "backend/usable.h"

#include "backend/probe.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

// dycl-probe lies beside dycl, or beside the plugins.
fs::path find_probe(const SearchPaths& search) {
  std::error_code error;
  for (const fs::path& folder : search.plugins)
    if (fs::is_regular_file(folder / "dycl-probe", error)) return folder / "dycl-probe";
  return {};
}

}  // namespace

Result<BackendOptions> find_backend(const std::string& name, const SearchPaths& search,
                                    const fs::path& library) {
  auto plugin = find_plugin(name, search);
  if (!plugin) return failure_of(std::move(plugin));
  if (!library.empty())
    if (Status there = check_named_library(name, library); !there) return failure_of(std::move(there));
  auto found = library.empty() ? find_library(name, *plugin, search) : Result<fs::path>(library);
  if (!found) return failure_of(std::move(found));
  BackendOptions options;
  options.name = name;
  options.plugin = std::move(*plugin);
  options.library = std::move(*found);
  return options;
}

Status require_usable(const BackendOptions& backend, const SearchPaths& search, const fs::path& cache) {
  ProbeRequest request;
  request.program = find_probe(search);
  request.backend = backend;
  request.cache = cache;
  if (request.program.empty())
    return fail(Blame::Backend, "backend.no_probe", "dycl-probe was not found beside dycl or its plugins", {},
                "reinstall dycl");
  auto report = probe_backend(request);
  if (!report) return failure_of(std::move(report));
  if (!report->usable)
    return fail(Blame::Backend, "backend.probe_failed", report->message, {},
                "choose another backend; dycl doctor shows which are usable");
  return {};
}

}  // namespace dycl
