// SPDX-License-Identifier: Apache-2.0
#include "tvm/library.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/sha256.h"

namespace dycl::tvm {
namespace {

namespace fs = std::filesystem;

// TVM opens libraries by file name and wants it to end in ".so"; the file is gone once it is open.
class TemporaryLibrary {
 public:
  explicit TemporaryLibrary(std::string_view bytes) {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "dycl-tvm-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    folder_ = pattern;
    std::ofstream stream(file(), std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    written_ = stream.good();
  }
  TemporaryLibrary(const TemporaryLibrary&) = delete;
  TemporaryLibrary& operator=(const TemporaryLibrary&) = delete;
  ~TemporaryLibrary() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  [[nodiscard]] bool written() const { return written_; }
  [[nodiscard]] fs::path file() const { return folder_ / "subnet.so"; }

 private:
  fs::path folder_;
  bool written_ = false;
};

}  // namespace

Result<std::shared_ptr<const Library>> Library::load(std::shared_ptr<const Ffi> ffi, std::string_view bytes) {
  const TemporaryLibrary temporary(bytes);
  if (!temporary.written())
    return fail(Blame::Backend, "tvm.cannot_write",
                "the compiled library cannot be written to the folder for temporary files", {},
                "TMPDIR names that folder");
  auto load = ffi->global("ffi.ModuleLoadFromFile");
  if (!load) return failure_of(std::move(load));
  const std::string file = temporary.file().string();
  std::array arguments{any(file.c_str())};
  auto module = ffi->call(*load, arguments);
  if (!module) return failure_of(std::move(module));
  auto library = std::make_shared<Library>();
  library->module_ = std::move(*module);
  library->ffi_ = std::move(ffi);
  return library;
}

Result<Machine> Library::create_machine() const {
  auto create = ffi_->function_of(module_, "vm_load_executable");
  if (!create) return failure_of(std::move(create));
  auto machine = ffi_->call(*create, {});
  if (!machine) return failure_of(std::move(machine));
  auto initialize = ffi_->function_of(*machine, "vm_initialization");
  if (!initialize) return failure_of(std::move(initialize));
  constexpr std::int64_t cpu = 1;
  constexpr std::int64_t pooled = 2;  // memory is kept for the next call
  std::array devices{any(cpu), any(std::int64_t{0}), any(pooled),
                     any(cpu), any(std::int64_t{0}), any(pooled)};
  if (auto done = ffi_->call(*initialize, devices); !done) return failure_of(std::move(done));
  auto main = ffi_->function_of(*machine, "main");
  if (!main) return failure_of(std::move(main));
  return Machine{std::move(*machine), std::move(*main)};
}

Result<std::shared_ptr<const Library>> LibraryCache::load(const std::shared_ptr<const Ffi>& ffi,
                                                          std::string_view bytes) {
  const std::string key = sha256_hex(bytes);
  const std::lock_guard lock(mutex_);
  if (auto known = libraries_[key].lock()) return known;
  auto library = Library::load(ffi, bytes);
  if (library) libraries_[key] = *library;
  return library;
}

}  // namespace dycl::tvm
