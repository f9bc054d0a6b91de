// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "package/entry.h"
#include "package/manifest.h"
#include "package/package_editor.h"
#include "package/package_file.h"
#include "package/sample_artifact.h"
#include "package/zip_reader.h"

namespace dycl::test {
namespace {

namespace fs = std::filesystem;

TEST(PackageRoundTrip, TheSampleIsAValidArtifact) {
  const auto verified = verify_artifact(sample_artifact());
  EXPECT_TRUE(verified) << to_string(verified.error());
}

void expect_same(const Artifact& read, const Artifact& written) {
  EXPECT_EQ(read.producer, written.producer);
  EXPECT_EQ(read.origin, written.origin);
  EXPECT_EQ(read.model_sha256, written.model_sha256);
  EXPECT_EQ(read.precision, written.precision);
  EXPECT_EQ(read.target, written.target);
  EXPECT_EQ(read.hcfg, written.hcfg);
  EXPECT_TRUE(same_plan(read.plan, written.plan));
  ASSERT_EQ(read.subnets.size(), written.subnets.size());
  for (const auto& [hash, subnet] : written.subnets) {
    EXPECT_EQ(read.subnets.at(hash).graph, subnet.graph);
    EXPECT_EQ(read.subnets.at(hash).weights, subnet.weights);
    EXPECT_EQ(read.subnets.at(hash).blobs, subnet.blobs);
  }
  ASSERT_EQ(read.weights.size(), written.weights.size());
  for (const auto& [name, tensor] : written.weights) EXPECT_EQ(*read.weights.at(name), *tensor) << name;
}

TEST(PackageRoundTrip, WhatIsReadIsWhatWasWritten) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
  const auto read = read_package(folder / "a.dycl");
  ASSERT_TRUE(read) << to_string(read.error());
  expect_same(**read, sample_artifact());
  EXPECT_EQ((*read)->backends.at("openvino").version, "2026.4.1");
  EXPECT_FALSE((*read)->backends.at("openvino").deterministic_blob);
}

TEST(PackageRoundTrip, EqualArtifactsGiveEqualBytes) {
  EXPECT_EQ(package_bytes(sample_artifact()), sample_package());
  const auto read = read_bytes(sample_package());
  ASSERT_TRUE(read);
  EXPECT_EQ(package_bytes(*read), sample_package());
}

TEST(PackageRoundTrip, EveryEntryAndEveryWeightStartsAtAMultipleOf64) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
  const auto read = read_package(folder / "a.dycl");
  ASSERT_TRUE(read);
  for (const auto& [name, tensor] : (*read)->weights)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor->bytes.data()) % 64, 0U) << name;
  const std::string& bytes = sample_package();
  const auto entries = read_zip(bytes_of(bytes), nullptr);
  for (const PackageEntry& entry : entries.value())
    EXPECT_EQ((text_of(entry.bytes).data() - bytes.data()) % 64, 0) << entry.name;
}

TEST(PackageRoundTrip, WeightsOutliveTheCallThatReadThem) {
  TensorPtr weight;
  {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
    weight = (*read_package(folder / "a.dycl"))->weights.at("scale");
  }
  EXPECT_EQ(*weight, *sample_artifact().weights.at("scale"));
}

TEST(PackageRoundTrip, TheSameTreeCanBeReadFromAFolder) {
  const TemporaryFolder folder;
  PackageEditor().write_folder(folder / "tree");
  const auto read = read_package(folder / "tree");
  ASSERT_TRUE(read) << to_string(read.error());
  expect_same(**read, sample_artifact());
}

TEST(PackageRoundTrip, APackageWithoutSubnetsAndWeightsIsFine) {
  Artifact artifact;
  artifact.plan.outputs = {};
  artifact.plan.code = {{PlanReturn{}, {}, {}}};
  const auto read = read_bytes(package_bytes(artifact));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(read->weights.empty());
}

TEST(PackageWriting, LeavesTheOldFileWhenTheArtifactIsWrong) {
  const TemporaryFolder folder;
  write_file(folder / "a.dycl", "old");
  Artifact artifact = sample_artifact();
  artifact.plan.code.clear();
  const Status written = write_package(artifact, folder / "a.dycl");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "package.bad_plan");
  EXPECT_EQ(read_file(folder / "a.dycl"), "old");
}

TEST(PackageWriting, LeavesNoTemporaryFileBehind) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
  ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
  Artifact wrong = sample_artifact();
  wrong.weights["__metadata__"] = wrong.weights.at("scale");
  EXPECT_FALSE(write_package(wrong, folder / "a.dycl"));
  const fs::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(PackageWriting, SaysWhereItCouldNotWrite) {
  const Status written = write_package(sample_artifact(), "/nowhere/at/all/a.dycl");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().blame, Blame::Usage);
  EXPECT_EQ(written.error().code, "package.cannot_write");
  EXPECT_THAT(to_string(written.error()), testing::HasSubstr("/nowhere/at/all/a.dycl"));
}

TEST(PackageWriting, RefusesNamesThatAreNotUtf8) {
  Artifact artifact = sample_artifact();
  artifact.plan.inputs[0].name = "\xff";
  const TemporaryFolder folder;
  const Status written = write_package(artifact, folder / "a.dycl");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "package.not_utf8");
}

TEST(PackageReading, WhatWasReadStaysWhenTheFileIsWrittenOver) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(sample_artifact(), folder / "a.dycl"));
  PackageEditor().write_folder(folder / "a");
  for (const fs::path& path : {folder / "a.dycl", folder / "a"}) {
    const fs::path written = fs::is_directory(path) ? path / kWeightsName : path;
    const auto read = read_package(path);
    ASSERT_TRUE(read) << to_string(read.error());
    {
      std::fstream file(written, std::ios::binary | std::ios::in | std::ios::out);
      file << std::string(fs::file_size(written), '?');
    }
    expect_same(**read, sample_artifact());
    fs::resize_file(written, 0);
    expect_same(**read, sample_artifact());
  }
}

TEST(PackageReading, AMissingFileIsTheCallersMistake) {
  const auto read = read_package("/nowhere/a.dycl");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().blame, Blame::Usage);
  EXPECT_EQ(read.error().code, "package.not_found");
  EXPECT_THAT(to_string(read.error()), testing::HasSubstr("/nowhere/a.dycl"));
}

TEST(PackageRoundTrip, KeepsWhyABackendWasChosen) {
  Artifact artifact = sample_artifact();
  artifact.choices["aaaa1111"] = {
      "openvino", {{"onnxruntime", 9300}, {"openvino", 8100}}, {{"tvm", "no Where on bool"}}};
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(artifact, folder / "a.dycl"));
  const auto read = read_package(folder / "a.dycl");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ((*read)->choices, artifact.choices);
}

TEST(PackageWriting, EqualBlobsAreStoredOnce) {
  Artifact artifact = sample_artifact();
  artifact.subnets.at("aaaa1111").blobs["openvino"] = artifact.subnets.at("bbbb2222").blobs.at("openvino");
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(artifact, folder / "a.dycl"));
  const Manifest manifest = manifest_of(artifact);
  EXPECT_THAT(manifest.subnets.at("aaaa1111").blobs, testing::ElementsAre("openvino"));
  EXPECT_THAT(manifest.subnets.at("bbbb2222").blobs, testing::IsEmpty());
  EXPECT_EQ(manifest.subnets.at("bbbb2222").shared.at("openvino"), "aaaa1111");
  const auto read = read_package(folder / "a.dycl");
  ASSERT_TRUE(read) << to_string(read.error());
  for (const auto& [hash, subnet] : artifact.subnets)
    EXPECT_EQ((*read)->subnets.at(hash).blobs, subnet.blobs);
}

TEST(PackageReading, MachineCodeIsReadAsBytes) {
  Artifact artifact = sample_artifact();
  artifact.backends["tvm"] = {"0.27", false};
  artifact.subnets.at("aaaa1111").blobs["tvm"] =
      "\x7f"
      "ELF";
  const TemporaryFolder folder;
  ASSERT_TRUE(write_package(artifact, folder / "a.dycl"));
  const auto read = read_package(folder / "a.dycl");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ((*read)->subnets.at("aaaa1111").blobs, artifact.subnets.at("aaaa1111").blobs);
}

}  // namespace
}  // namespace dycl::test
