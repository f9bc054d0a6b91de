// SPDX-License-Identifier: Apache-2.0
#include "package/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "package/error.h"

namespace dycl {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Failure cannot_open(int error) {
  if (error == ENOENT)
    return fail(Blame::Usage, "package.not_found", "there is no such file", {}, "check the path");
  if (error == ELOOP) return package_error("symbolic_link", "a package may not contain symbolic links");
  return fail(Blame::Usage, "package.cannot_read",
              "the file cannot be read: " + std::string(std::strerror(error)), {}, "check its permissions");
}

Failure cannot_read(int error) {
  if (error != 0) return cannot_open(error);
  return package_error("truncated", "the file became shorter while it was read",
                       "replace files by renaming, not by writing over them: mv, not cp");
}

}  // namespace

Result<std::shared_ptr<OwnBytes>> read_whole_file(const std::filesystem::path& path, bool follow_link) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow_link ? 0 : O_NOFOLLOW)));
  if (file.number() < 0) return cannot_open(errno);
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) return cannot_open(errno);
  if (!S_ISREG(facts.st_mode)) return package_error("not_a_file", "this is not a regular file");
  auto contents = OwnBytes::read(file.number(), 0, static_cast<std::size_t>(facts.st_size));
  if (contents == nullptr) return cannot_read(errno);
  return contents;
}

}  // namespace dycl
