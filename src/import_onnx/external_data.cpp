// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <optional>

namespace dycl {
namespace {

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

}  // namespace

Result<ExternalBytes> map_external_data(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  Result<Location> location = location_of(proto);
  if (!location) return failure_of(std::move(location));
  if (folder.empty()) return refuse(proto, "a model given as bytes has no folder to find it in");
  if (!stays_below(location->file))
    return refuse(proto, fmt::format("'{}' leaves the model's folder", location->file));
  const int descriptor = open_beneath(folder, location->file);
  if (descriptor < 0)
    return refuse(
        proto, fmt::format("there is no file '{}' in the model's folder, or it is a link", location->file));
  struct stat info{};
  const bool plain = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t length = location->length.value_or(size - std::min(size, location->offset));
  if (!plain || location->offset > size || length > size - location->offset) {
    close(descriptor);
    return refuse(proto, fmt::format("'{}' does not hold the bytes it names", location->file));
  }
  if (length == 0) {
    close(descriptor);
    return ExternalBytes{};
  }
  void* base = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (base == MAP_FAILED) return refuse(proto, fmt::format("'{}' cannot be mapped", location->file));
  std::shared_ptr<const void> owner(base, [size](void* start) { munmap(start, size); });
  return ExternalBytes{{static_cast<const std::byte*>(base) + location->offset, length}, std::move(owner)};
}

}  // namespace dycl
