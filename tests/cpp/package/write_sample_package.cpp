// SPDX-License-Identifier: Apache-2.0
// write_sample_package FOLDER: sample.dycl for the judge written in Python; with a second argument also
// the parts of it that seed the fuzzers (FOLDER/package, FOLDER/host_plan).
#include <cstdio>
#include <filesystem>

#include "package/entry.h"
#include "package/package_editor.h"
#include "package/package_file.h"
#include "package/sample_artifact.h"
#include "package/zip_writer.h"

namespace {

namespace fs = std::filesystem;

// A zip whose numbers all live in zip64 fields, as if it were larger than four gigabytes.
void write_zip64(const fs::path& path) {
  const std::string small = "hello";
  const std::string large(1000, 'x');
  const std::vector<dycl::ZipSource> sources{{"small.txt", {dycl::bytes_of(small)}},
                                             {"a/large.bin", {dycl::bytes_of(large)}}};
  std::string bytes;
  const dycl::Status written = dycl::write_zip(sources,
                                               [&](std::span<const std::byte> piece) -> dycl::Status {
                                                 bytes += dycl::text_of(piece);
                                                 return {};
                                               },
                                               {.bytes = 100, .entries = 1});
  if (written) dycl::test::write_file(path, bytes);
}

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder / "package");
  fs::create_directories(folder / "host_plan");
  dycl::test::PackageEditor parts;
  dycl::test::write_file(folder / "package/sample.dycl", dycl::test::sample_package());
  dycl::test::write_file(folder / "package/manifest.json", parts.entry("manifest.json"));
  dycl::test::write_file(folder / "package/weights.safetensors", parts.entry("weights/weights.safetensors"));
  dycl::test::write_file(folder / "package/graph.onnx", parts.entry("subnets/aaaa1111/graph.onnx"));
  dycl::test::write_file(folder / "host_plan/program.json", parts.entry("program.json"));
  dycl::test::write_file(folder / "host_plan/smallest.json",
                         R"({"schema":1,"symbols":[],"inputs":[],"outputs":[],"slots":[],"constants":[],)"
                         R"("subnets":[],"code":[{"op":"return","values":[]}],"sources":[]})");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const fs::path folder = arguments[1];
  if (const dycl::Status written = dycl::write_package(dycl::test::sample_artifact(), folder / "sample.dycl");
      !written) {
    std::fprintf(stderr, "%s\n", to_string(written.error()).c_str());
    return 1;
  }
  write_zip64(folder / "zip64.zip");
  if (count > 2) write_seeds(folder);
  return 0;
}
