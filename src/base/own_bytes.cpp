// SPDX-License-Identifier: Apache-2.0
#include "base/own_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace dycl {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // Linux reads no more than 2 GiB at once

bool fill(int descriptor, std::uint64_t offset, std::span<std::byte> target) {
  while (!target.empty()) {
    const ssize_t got =
        ::pread(descriptor, target.data(), std::min(target.size(), kMostAtOnce), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    target = target.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

bool unmap(std::span<std::byte> pages) { return !pages.empty() && ::munmap(pages.data(), pages.size()) == 0; }

}  // namespace

OwnBytes::OwnBytes(std::size_t size) {
  if (size == 0) return;
  // Not from the heap: whole pages can be given back before the rest is done with.
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const std::size_t page = page_size();
  pages_ = {static_cast<std::byte*>(start), (size + page - 1) / page * page};
  bytes_ = pages_.first(size);
}

OwnBytes::~OwnBytes() { unmap(pages_); }

std::shared_ptr<OwnBytes> OwnBytes::read(int descriptor, std::uint64_t offset, std::size_t size) {
  auto made = std::make_shared<OwnBytes>(size);
  if (!fill(descriptor, offset, made->pages_.first(size))) return nullptr;
  ::mprotect(made->pages_.data(), made->pages_.size(), PROT_READ);  // vendors get pointers into it
  return made;
}

void OwnBytes::keep_only(std::span<const std::byte> part) {
  const std::size_t page = page_size();
  const std::size_t begin = part.empty() ? 0 : static_cast<std::size_t>(part.data() - pages_.data());
  const std::size_t behind = (begin + part.size() + page - 1) / page * page;
  const std::size_t before = begin / page * page;
  bytes_ = part;
  if (unmap(pages_.subspan(behind))) pages_ = pages_.first(behind);
  if (unmap(pages_.first(before))) pages_ = pages_.subspan(before);
}

}  // namespace dycl
