// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

namespace dycl::import_onnx {
namespace {

// Tensors may share bytes; a file of a few bytes that a thousand tensors name in a thousand ways may not
// fill the memory.
constexpr std::uint64_t kMostOverlap = 4;

struct Location {
  std::string file;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

Failure refuse(const onnx::TensorProto& proto, std::string_view why) {
  return fail(Blame::Usage, "onnx.external_data",
              fmt::format("external data of tensor '{}': {}", proto.name(), why), {},
              "keep the data file in the model's folder, as a plain file");
}

bool parse_number(const std::string& text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

Result<Location> location_of(const onnx::TensorProto& proto) {
  Location location;
  for (const onnx::StringStringEntryProto& entry : proto.external_data()) {
    std::uint64_t number = 0;
    if (entry.key() == "location") location.file = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    if (!parse_number(entry.value(), number)) return refuse(proto, "its " + entry.key() + " is not a number");
    if (entry.key() == "offset")
      location.offset = number;
    else
      location.length = number;
  }
  if (location.file.empty()) return refuse(proto, "it names no file");
  return location;
}

// Opens folder/a/b/c one component at a time, so that no component can be a link.
int open_beneath(const std::filesystem::path& folder, const std::filesystem::path& relative) {
  int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (auto part = relative.begin(); part != relative.end() && descriptor >= 0; ++part) {
    const bool last = std::next(part) == relative.end();
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
    const int next = openat(descriptor, part->c_str(), flags);
    close(descriptor);
    descriptor = next;
  }
  return descriptor;
}

bool stays_below(const std::filesystem::path& relative) {
  if (relative.is_absolute()) return false;
  for (const std::filesystem::path& part : relative)
    if (part == ".." || part.string().find('\0') != std::string::npos) return false;
  return true;
}

// Owns the descriptor of a data file.
class DataFile {
 public:
  explicit DataFile(int descriptor) : descriptor_(descriptor) {}
  ~DataFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] struct stat facts() const {
    struct stat info{};
    if (fstat(descriptor_, &info) != 0) info.st_mode = 0;
    return info;
  }
  [[nodiscard]] std::shared_ptr<const OwnBytes> read(std::uint64_t offset, std::uint64_t length) const {
    return OwnBytes::read(descriptor_, offset, length);
  }

 private:
  int descriptor_;
};

bool is_same(const struct stat& one, const struct stat& other) {
  const auto key = [](const struct stat& info) {
    return std::tuple(info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  };
  return key(one) == key(other);
}

}  // namespace

Result<std::shared_ptr<const OwnBytes>> ExternalFiles::read(const onnx::TensorProto& proto) {
  Result<Location> location = location_of(proto);
  if (!location) return failure_of(std::move(location));
  if (folder_.empty()) return refuse(proto, "a model given as bytes has no folder to find it in");
  const std::string& name = location->file;
  if (!stays_below(name)) return refuse(proto, fmt::format("'{}' leaves the model's folder", name));
  const DataFile source(open_beneath(folder_, name));
  if (!source.is_open())
    return refuse(proto, fmt::format("there is no file '{}' in the model's folder, or it is a link", name));
  const struct stat facts = source.facts();
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const std::uint64_t rest = size - std::min(size, location->offset);
  const std::uint64_t length = location->length.value_or(rest);
  if (!S_ISREG(facts.st_mode) || location->offset > size || length > rest)
    return refuse(proto, fmt::format("'{}' is too short or not a file", name));

  File& file = files_[std::filesystem::path(name).lexically_normal().string()];
  std::shared_ptr<const OwnBytes>& part = file.parts[{location->offset, length}];
  if (part != nullptr) return part;
  file.bytes += length;
  if (file.bytes > size * kMostOverlap)
    return refuse(proto,
                  fmt::format("tensors refer to more than {} times the bytes of '{}'", kMostOverlap, name));
  part = source.read(location->offset, length);
  if (!file.as_read) file.as_read = facts;
  // Weights of two versions would be a model that nobody trained.
  if (part == nullptr || !is_same(*file.as_read, source.facts()))
    return refuse(proto, fmt::format("'{}' cannot be read, or it changed while it was read", name));
  return part;
}

}  // namespace dycl::import_onnx
