// SPDX-License-Identifier: Apache-2.0
#include "bundle/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <optional>

namespace dycl::bundle {
namespace {

// Reads structures and texts at places of the file; whatever lies outside of the file is not there.
class ElfReader {
 public:
  explicit ElfReader(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  std::optional<ElfFile> read() {
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr))
      return std::nullopt;
    for (std::size_t index = 0; index < header->e_phnum; ++index) {
      const auto segment = at<Elf64_Phdr>(header->e_phoff + index * sizeof(Elf64_Phdr));
      if (!segment) return std::nullopt;
      segments_.push_back(*segment);
    }
    ElfFile found;
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_INTERP) found.loader = text_at(segment.p_offset);
      if (segment.p_type == PT_DYNAMIC) read_dynamic(segment, found);
    }
    return found;
  }

 private:
  template <class T>
  std::optional<T> at(std::uint64_t offset) {
    T value{};
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    return file_ ? std::optional<T>(value) : std::nullopt;
  }

  std::string text_at(std::uint64_t offset) {
    std::string text;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    std::getline(file_, text, '\0');
    return text;
  }

  void read_dynamic(const Elf64_Phdr& segment, ElfFile& found) {
    std::vector<std::uint64_t> names;
    std::uint64_t texts = 0;
    for (std::uint64_t place = 0; place + sizeof(Elf64_Dyn) <= segment.p_filesz; place += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(segment.p_offset + place);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) texts = offset_of(entry->d_un.d_ptr);
    }
    for (const std::uint64_t name : names) found.needed.push_back(text_at(texts + name));
  }

  // Tables are named by where they lie in memory.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_)
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address < segment.p_vaddr + segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    return address;
  }

  std::ifstream file_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace

Result<ElfFile> read_elf(const std::filesystem::path& path) {
  if (auto found = ElfReader(path).read()) return std::move(*found);
  return fail(Blame::Usage, "bundle.not_elf", fmt::format("{} is not a 64-bit ELF file", path.string()));
}

}  // namespace dycl::bundle
