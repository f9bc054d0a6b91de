// SPDX-License-Identifier: Apache-2.0
#include "cli/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/scoped_handle.h"
#include "cli/npy.h"
#include "package/atomic_file.h"

namespace dycl::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";

Failure damaged(const std::filesystem::path& path, std::string_view why) {
  return fail(Blame::Usage, "npz.damaged", fmt::format("{}: {}", path.string(), why));
}

Failure unwritable(const std::filesystem::path& path, std::string_view why) {
  return fail(Blame::Usage, "npz.write", fmt::format("{} cannot be written: {}", path.string(), why), {},
              "check that the folder exists and may be written");
}

std::string open_error_text(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

void close_entry(zip_file_t* file) { zip_fclose(file); }

struct ZipEntry {
  zip_uint64_t index = 0;
  std::string name;  // without the suffix
};

// Reads an archive piece by piece; what is refused is refused before it is expanded.
class NpzReader {
 public:
  NpzReader(const std::filesystem::path& path, zip_t* archive, const NpzChecks& checks, std::size_t limit)
      : path_(path), archive_(archive), checks_(checks), limit_(limit) {}

  Result<NamedTensors> read_all() {
    auto entries = checked_names();
    if (!entries) return failure_of(std::move(entries));
    NamedTensors tensors;
    for (ZipEntry& entry : *entries) {
      auto tensor = read_entry(entry);
      if (!tensor) return failure_of(std::move(tensor));
      tensors.emplace_back(std::move(entry.name), std::move(*tensor));
    }
    return tensors;
  }

 private:
  Result<std::vector<ZipEntry>> checked_names() const {
    std::vector<ZipEntry> entries;
    std::set<std::string> known;
    const zip_int64_t count = zip_get_num_entries(archive_, 0);
    for (zip_int64_t index = 0; index < count; ++index) {
      const char* raw_name = zip_get_name(archive_, static_cast<zip_uint64_t>(index), 0);
      std::string name = raw_name == nullptr ? "" : raw_name;
      if (!name.ends_with(kSuffix))
        return damaged(path_, fmt::format("the entry '{}' is not an .npy array", name));
      name.resize(name.size() - kSuffix.size());
      if (!known.insert(name).second) return damaged(path_, fmt::format("the entry '{}' occurs twice", name));
      if (checks_.name)
        if (Status checked = checks_.name(name); !checked) return failure_of(std::move(checked));
      entries.push_back({static_cast<zip_uint64_t>(index), std::move(name)});
    }
    return entries;
  }

  Result<TensorData> read_entry(const ZipEntry& entry) {
    const ScopedHandle<zip_file_t> file(zip_fopen_index(archive_, entry.index, 0), close_entry);
    if (!file) return damaged(path_, zip_strerror(archive_));
    std::string contents;
    if (Status read = read_up_to(file.get(), kNpyStart, contents); !read) return failure_of(std::move(read));
    auto facts = read_npy_facts(std::as_bytes(std::span(contents)));
    if (!facts) return in_entry(entry, facts.error());
    if (facts->file_size > limit_)
      return fail(Blame::Usage, "npz.too_large",
                  fmt::format("{}: the arrays expand beyond the limit", path_.string()));
    if (checks_.array)
      if (Status checked = checks_.array(entry.name, facts->dtype, facts->dims); !checked)
        return failure_of(std::move(checked));
    // A byte more than there should be tells that there are more.
    if (Status read = read_up_to(file.get(), facts->file_size + 1, contents); !read)
      return failure_of(std::move(read));
    limit_ -= std::min(limit_, contents.size());
    auto tensor = read_npy(std::as_bytes(std::span(contents)));
    if (!tensor) return in_entry(entry, tensor.error());
    return tensor;
  }

  // Grows as data arrives, so that a lying size reserves nothing.
  Status read_up_to(zip_file_t* file, std::size_t size, std::string& contents) const {
    std::vector<char> chunk(1 << 16);
    while (contents.size() < size) {
      const std::size_t wanted = std::min(chunk.size(), size - contents.size());
      const zip_int64_t got = zip_fread(file, chunk.data(), wanted);
      if (got < 0) return damaged(path_, zip_file_strerror(file));
      if (got == 0) break;
      contents.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return {};
  }

  [[nodiscard]] Failure in_entry(const ZipEntry& entry, const Diagnostic& error) const {
    return damaged(path_, fmt::format("entry '{}': {}", entry.name, error.message));
  }

  const std::filesystem::path& path_;
  zip_t* archive_;
  const NpzChecks& checks_;
  std::size_t limit_;  // of what is left to expand
};

Status add_entry(zip_t* archive, const std::string& name, const std::string& contents) {
  zip_source_t* source = zip_source_buffer(archive, contents.data(), contents.size(), 0);
  if (source == nullptr) return fail(Blame::Usage, "npz.write", zip_strerror(archive));
  const zip_int64_t index =
      zip_file_add(archive, (name + std::string(kSuffix)).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return fail(Blame::Usage, "npz.write", fmt::format("output '{}': {}", name, zip_strerror(archive)));
  }
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, (1 << 5) | 1, 0);  // 1980-01-01
  return {};
}

// The archive is made in memory: how a file gets into its place is not libzip's to decide.
Status pack(const std::filesystem::path& path, const NamedTensors& tensors, zip_source_t* file) {
  std::vector<std::string> contents;  // must outlive zip_close, which reads them
  for (const auto& [name, tensor] : tensors) {
    auto text = write_npy(tensor);
    if (!text) return failure_of(std::move(text));
    contents.push_back(std::move(*text));
  }
  ScopedHandle<zip_t> archive(zip_open_from_source(file, ZIP_TRUNCATE, nullptr), zip_discard);
  if (!archive) return unwritable(path, "there is not enough memory");
  zip_source_keep(file);  // the archive owns it, and whoever reads it afterwards
  for (std::size_t index = 0; index < tensors.size(); ++index)
    if (Status added = add_entry(archive.get(), tensors[index].first, contents[index]); !added) return added;
  if (zip_close(archive.get()) != 0) return unwritable(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // zip_close freed it
  return {};
}

Status copy(zip_source_t* file, const ByteSink& sink) {
  const auto failed = [&] {
    return fail(Blame::Usage, "npz.write", zip_error_strerror(zip_source_error(file)));
  };
  if (zip_source_open(file) != 0) return failed();
  std::vector<std::byte> chunk(1 << 20);
  for (;;) {
    const zip_int64_t got = zip_source_read(file, chunk.data(), chunk.size());
    if (got < 0) return failed();
    if (got == 0) return {};
    if (Status put = sink(std::span(chunk).first(static_cast<std::size_t>(got))); !put) return put;
  }
}

}  // namespace

Result<NamedTensors> read_npz_file(const std::filesystem::path& path, const NpzChecks& checks,
                                   std::size_t byte_limit) {
  int code = 0;
  const ScopedHandle<zip_t> archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (!archive) return damaged(path, open_error_text(code));
  return NpzReader(path, archive.get(), checks, byte_limit).read_all();
}

Status write_npz_file(const std::filesystem::path& path, const NamedTensors& tensors) {
  if (tensors.empty()) return unwritable(path, "there is no output to write");
  const ScopedHandle<zip_source_t> file(zip_source_buffer_create(nullptr, 0, 0, nullptr), zip_source_free);
  if (!file) return unwritable(path, "there is not enough memory");
  if (Status packed = pack(path, tensors, file.get()); !packed) return packed;
  Status written = write_atomically(path, [&](const ByteSink& sink) { return copy(file.get(), sink); });
  if (!written) return unwritable(path, written.error().message);
  return {};
}

}  // namespace dycl::cli
