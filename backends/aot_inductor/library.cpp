// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/library.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/vendor_library.h"

namespace dycl::aot_inductor {
namespace {

// A file in memory: nothing is left behind, whatever happens. It must stay open as long as its library is
// loaded: the loader knows libraries by their paths, and a number that is used again would name the old one.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& name) : file_(memfd_create(name.c_str(), MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool write(std::string_view bytes) const {
    while (file_ >= 0 && !bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return file_ >= 0;
  }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

template <class Function>
Status find(const plugin::VendorLibrary& library, const char* name, Function& function) {
  auto found = library.function<Function>(name);
  if (!found) return failure_of(std::move(found));
  function = *found;
  return {};
}

Result<std::shared_ptr<const ModelLibrary>> open_library(std::string_view bytes, const std::string& sha256) {
  auto file = std::make_shared<const MemoryFile>("dycl-" + sha256.substr(0, 16));
  if (!file->write(bytes))
    return fail(Blame::Backend, "aot_inductor.no_memory", "there is no memory for a compiled library");
  // Its dependencies, libtorch_cpu and libc10, are in the process already and found by their names.
  auto opened = plugin::VendorLibrary::open(file->path());
  if (!opened) return failure_of(std::move(opened));
  ModelLibrary model{};
  Status found = find(*opened, "AOTInductorModelContainerCreateWithDevice", model.create);
  if (found) found = find(*opened, "AOTInductorModelContainerDelete", model.destroy);
  if (found) found = find(*opened, "AOTInductorModelContainerGetNumInputs", model.input_count);
  if (found) found = find(*opened, "AOTInductorModelContainerGetNumOutputs", model.output_count);
  if (found) found = find(*opened, "AOTInductorModelContainerRunSingleThreaded", model.run);
  if (found) found = find(*opened, "AOTInductorGetLastError", model.last_error);
  if (!found) return failure_of(std::move(found));
  model.file = std::move(file);
  return std::make_shared<const ModelLibrary>(std::move(model));
}

}  // namespace

std::string ModelLibrary::why() const {
  const char* text = nullptr;
  if (last_error(&text) != 0 || text == nullptr || *text == '\0') return "torch gives no reason";
  const std::string_view all(text);
  return std::string(all.substr(0, all.find('\n')));
}

Result<std::shared_ptr<const ModelLibrary>> LibraryTable::load(std::string_view bytes,
                                                               const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(sha256);
  if (found != loaded_.end()) return found->second;
  auto library = open_library(bytes, sha256);
  if (library) loaded_.emplace(sha256, *library);
  return library;
}

}  // namespace dycl::aot_inductor
