// SPDX-License-Identifier: Apache-2.0
#include "package/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
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

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path,
                                                           bool follow_link) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow_link ? 0 : O_NOFOLLOW)));
  if (file.number() < 0) return cannot_open(errno);
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) return cannot_open(errno);
  if (!S_ISREG(facts.st_mode)) return package_error("not_a_file", "this is not a regular file");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return std::make_shared<const MappedFile>(nullptr, 0);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) return cannot_open(errno);
  return std::make_shared<const MappedFile>(address, size);
}

MappedFile::~MappedFile() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

}  // namespace dycl
