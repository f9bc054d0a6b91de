// SPDX-License-Identifier: Apache-2.0
#include "package/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace dycl {
namespace {

Failure cannot_write(const std::string& what) {
  return fail(Blame::Usage, "package.cannot_write", what + ": " + std::strerror(errno), {},
              "check that the folder exists, may be written and has room");
}

// Owns the temporary file until it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path)
      : name_(path.string() + ".XXXXXX"), number_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  ~TemporaryFile() {
    if (number_ < 0) return;
    ::close(number_);
    if (!kept_) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool exists() const { return number_ >= 0; }

  Status write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return cannot_write("the package cannot be written");
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  Status keep_as(const std::filesystem::path& path, mode_t mode) {
    if (::fchmod(number_, mode) != 0 || ::fsync(number_) != 0 || ::rename(name_.c_str(), path.c_str()) != 0)
      return cannot_write("the package cannot be put into place");
    kept_ = true;
    return {};
  }

 private:
  std::string name_;
  int number_;
  bool kept_ = false;
};

// The rename itself must reach the disk too; where folders cannot be opened this is best effort.
void flush_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;
  ::fsync(number);
  ::close(number);
}

}  // namespace

Status write_atomically(const std::filesystem::path& path,
                        const std::function<Status(const ByteSink&)>& write) {
  TemporaryFile file(path);
  if (!file.exists()) return cannot_write("no file can be made in the package's folder");
  if (Status status = write([&](std::span<const std::byte> bytes) { return file.write(bytes); }); !status)
    return status;
  if (Status status = file.keep_as(path, 0644); !status) return status;
  flush_folder(path);
  return {};
}

Status check_place(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    errno = EISDIR;
    return cannot_write("the package cannot be put into place");
  }
  if (!TemporaryFile(path).exists()) return cannot_write("no file can be made in the package's folder");
  return {};
}

}  // namespace dycl
