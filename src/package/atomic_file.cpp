// SPDX-License-Identifier: Apache-2.0
#include "package/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <string>

namespace dycl {
namespace {

Failure cannot_write(const std::string& what) {
  return fail(Blame::Usage, "package.cannot_write", what + ": " + std::strerror(errno), {},
              "check that the folder exists, may be written and has room");
}

Status write_all(int number, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write("the file cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

// Where the bytes for a path go.
struct Place {
  std::filesystem::path path;      // behind links, so that a link stays one
  bool is_replaced = true;         // by a rename; otherwise opened and written to as it is
  std::optional<struct stat> old;  // of the file that is replaced
};

constexpr int kMostLinks = 40;  // as many as Linux follows

// A link to an open descriptor (/dev/stdout, /dev/fd/3) is no name: whoever opened it holds on to the file.
bool names_descriptor(const std::filesystem::path& link) {
  std::error_code error;
  return std::filesystem::canonical(link.parent_path(), error).string().starts_with("/proc/");
}

// What is still a link is one to a descriptor, or one of too many.
std::filesystem::path behind_links(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links) {
    if (names_descriptor(path)) return path;
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

// Only regular files are replaced: a device or a pipe must stay what it is.
Result<Place> place_of(const std::filesystem::path& path) {
  Place place{behind_links(path), true, std::nullopt};
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return place;
    return cannot_write("the file cannot be put into place");
  }
  if (S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    return cannot_write("the file cannot be put into place");
  }
  std::error_code error;
  place.is_replaced = S_ISREG(facts.st_mode) && !std::filesystem::is_symlink(place.path, error);
  place.old = facts;
  return place;
}

// Owns the temporary file until it is renamed.
class TemporaryFile {
 public:
  // Made with the rights of the file that it replaces, or with what the umask leaves.
  explicit TemporaryFile(const Place& place) {
    static constexpr int kTries = 100;
    std::random_device random;
    for (int round = 0; round < kTries && number_ < 0; ++round) {
      name_ = fmt::format("{}.{:06x}", place.path.string(), random() & 0xffffffU);
      number_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                       place.old ? place.old->st_mode & kRights : 0666);
      if (number_ < 0 && errno != EEXIST) return;
    }
  }
  ~TemporaryFile() {
    if (number_ < 0) return;
    ::close(number_);
    if (!kept_) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool exists() const { return number_ >= 0; }

  Status write(std::span<const std::byte> bytes) { return write_all(number_, bytes); }

  Status keep_as(const Place& place) {
    if ((place.old && !take_rights(*place.old)) || ::fsync(number_) != 0 ||
        ::rename(name_.c_str(), place.path.c_str()) != 0)
      return cannot_write("the file cannot be put into place");
    kept_ = true;
    return {};
  }

 private:
  static constexpr mode_t kRights = 0777;

  // Only root may give files away; for others the new file is simply theirs.
  bool take_rights(const struct stat& old) {
    static_cast<void>(!::fchown(number_, old.st_uid, old.st_gid));
    return ::fchmod(number_, old.st_mode & kRights) == 0;
  }

  std::string name_;
  int number_ = -1;
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

using Writer = std::function<Status(const ByteSink&)>;

Status replace(const Place& place, const Writer& write) {
  TemporaryFile file(place);
  if (!file.exists()) return cannot_write("no file can be made in its folder");
  if (Status status = write([&](std::span<const std::byte> bytes) { return file.write(bytes); }); !status)
    return status;
  if (Status status = file.keep_as(place); !status) return status;
  flush_folder(place.path);
  return {};
}

// What has been written stays written: a device or a pipe cannot be undone.
Status write_through(const std::filesystem::path& path, const Writer& write) {
  const int number = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (number < 0) return cannot_write("it cannot be opened");
  Status status = write([&](std::span<const std::byte> bytes) { return write_all(number, bytes); });
  if (::close(number) != 0 && status) status = cannot_write("the file cannot be written");
  return status;
}

}  // namespace

Status write_atomically(const std::filesystem::path& path,
                        const std::function<Status(const ByteSink&)>& write) {
  Result<Place> place = place_of(path);
  if (!place) return failure_of(std::move(place));
  return place->is_replaced ? replace(*place, write) : write_through(path, write);
}

Status check_place(const std::filesystem::path& path) {
  Result<Place> place = place_of(path);
  if (!place) return failure_of(std::move(place));
  // Not opened: a pipe would wait for its reader.
  if (!place->is_replaced && ::access(path.c_str(), W_OK) != 0) return cannot_write("it cannot be written");
  if (place->is_replaced && !TemporaryFile(*place).exists())
    return cannot_write("no file can be made in its folder");
  return {};
}

}  // namespace dycl
