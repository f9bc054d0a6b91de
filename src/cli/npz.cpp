// SPDX-License-Identifier: Apache-2.0
#include "cli/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>

#include "base/scoped_handle.h"
#include "cli/npy.h"

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

// Grows as data arrives, so that a lying size in the archive reserves nothing.
Result<std::string> read_entry(zip_t* archive, zip_uint64_t index, std::size_t limit) {
  const ScopedHandle<zip_file_t> file(zip_fopen_index(archive, index, 0), close_entry);
  if (!file) return fail(Blame::Usage, "npz.damaged", zip_strerror(archive));
  std::string contents;
  std::vector<char> chunk(1 << 16);
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), chunk.data(), chunk.size());
    if (got < 0) return fail(Blame::Usage, "npz.damaged", zip_file_strerror(file.get()));
    if (got == 0) return contents;
    contents.append(chunk.data(), static_cast<std::size_t>(got));
    if (contents.size() > limit)
      return fail(Blame::Usage, "npz.too_large", "the arrays expand beyond the limit");
  }
}

Result<NamedTensors> read_entries(zip_t* archive, std::size_t limit) {
  NamedTensors tensors;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    const char* raw_name = zip_get_name(archive, static_cast<zip_uint64_t>(index), 0);
    std::string name = raw_name == nullptr ? "" : raw_name;
    if (!name.ends_with(kSuffix))
      return fail(Blame::Usage, "npz.damaged", fmt::format("the entry '{}' is not an .npy array", name));
    name.resize(name.size() - kSuffix.size());
    if (std::ranges::any_of(tensors, [&](const auto& known) { return known.first == name; }))
      return fail(Blame::Usage, "npz.damaged", fmt::format("the entry '{}' is there twice", name));
    auto contents = read_entry(archive, static_cast<zip_uint64_t>(index), limit);
    if (!contents) return failure_of(std::move(contents));
    limit -= contents->size();
    auto tensor = read_npy(std::as_bytes(std::span(*contents)));
    if (!tensor) {
      tensor.error().message = fmt::format("entry '{}': {}", name, tensor.error().message);
      return failure_of(std::move(tensor));
    }
    tensors.emplace_back(std::move(name), std::move(*tensor));
  }
  return tensors;
}

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

}  // namespace

Result<NamedTensors> read_npz_file(const std::filesystem::path& path, std::size_t byte_limit) {
  int code = 0;
  const ScopedHandle<zip_t> archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (!archive) return damaged(path, open_error_text(code));
  auto tensors = read_entries(archive.get(), byte_limit);
  if (!tensors) return damaged(path, tensors.error().message);
  return tensors;
}

Status write_npz_file(const std::filesystem::path& path, const NamedTensors& tensors) {
  std::vector<std::string> contents;  // must outlive zip_close, which reads them
  for (const auto& [name, tensor] : tensors) {
    auto text = write_npy(tensor);
    if (!text) return failure_of(std::move(text));
    contents.push_back(std::move(*text));
  }
  int code = 0;
  ScopedHandle<zip_t> archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code), zip_discard);
  if (!archive) return unwritable(path, open_error_text(code));
  for (std::size_t index = 0; index < tensors.size(); ++index)
    if (Status added = add_entry(archive.get(), tensors[index].first, contents[index]); !added) return added;
  if (tensors.empty()) return unwritable(path, "there is no output to write");
  if (zip_close(archive.get()) != 0) return unwritable(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // zip_close freed it
  return {};
}

}  // namespace dycl::cli
