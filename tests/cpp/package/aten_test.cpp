// SPDX-License-Identifier: Apache-2.0
// aten.json of sub-DNNs: kept as it is, and refused when it is not well formed.
#include <gmock/gmock.h>

#include "package/package_editor.h"
#include "package/sample_artifact.h"

namespace dycl::test {
namespace {

using nlohmann::json;

json sample_aten() {
  return {{"inputs", {"i0"}},
          {"outputs", {"v0", "v1"}},
          {"weights", {"w0"}},
          {"constants", {{"c0", {{"type", "f32[]"}, {"hex", "0000003f"}}}}},
          {"fragments", {{{"nodes", {nullptr, true, "aten::relu"}}}}},
          {"calls", {{{"fragment", 0}, {"in", {"i0", "w0", "c0"}}, {"out", {"v0", nullptr, "v1"}}}}}};
}

Artifact with_aten(const std::string& text) {
  Artifact artifact = sample_artifact();
  artifact.subnets.at("aaaa1111").aten = text;
  return artifact;
}

TEST(Aten, IsStoredBesideTheGraphAndReadAgain) {
  const std::string text = sample_aten().dump();
  const std::string bytes = package_bytes(with_aten(text));
  EXPECT_NO_THROW(central_header_of(bytes, "subnets/aaaa1111/aten.json"));
  const auto read = read_bytes(bytes);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->subnets.at("aaaa1111").aten, text);
  EXPECT_EQ(read->subnets.at("bbbb2222").aten, "");
  EXPECT_EQ(package_bytes(*read), bytes);
}

TEST(Aten, IsNotThereForModelsThatWereNotBornInTorch) {
  EXPECT_EQ(sample_package().find("aten"), std::string::npos);
}

// The sample's package with this text as aten.json.
std::string package_with_aten(const std::string& text, const json& listed = true) {
  PackageEditor editor;
  editor.add("subnets/aaaa1111/aten.json", text);
  editor.edit_json("manifest.json", [&](json& manifest) {
    manifest["subnets"]["aaaa1111"]["aten"] = listed;
    manifest["entries"]["subnets/aaaa1111/aten.json"] = {{"size", 0}, {"sha256", ""}};
  });
  editor.rehash();
  return editor.bytes();
}

void expect_bad_aten(const std::function<void(json&)>& edit, const std::string& words) {
  json document = sample_aten();
  edit(document);
  expect_refused(package_with_aten(document.dump()), "package.bad_subnet", words);
}

TEST(HostileAten, TheSampleItselfIsTaken) {
  EXPECT_TRUE(read_bytes(package_with_aten(sample_aten().dump())));
}

TEST(HostileAten, WhatIsNoJsonIsRefused) {
  expect_refused(package_with_aten("{"), "package.bad_json", "aten.json cannot be read");
  expect_refused(package_with_aten(std::string(10'000, '[')), "package.bad_json", "nested deeper");
  expect_refused(package_with_aten("[]"), "package.bad_subnet", "aten.json");
}

TEST(HostileAten, AnEntryThatTheManifestDoesNotAnnounceIsRefused) {
  expect_refused(package_with_aten(sample_aten().dump(), false), "package.unknown_entry", "aten.json");
}

TEST(HostileAten, AnAnnouncedEntryThatIsNotThereIsRefused) {
  PackageEditor editor;
  editor.edit_json("manifest.json", [](json& manifest) { manifest["subnets"]["aaaa1111"]["aten"] = true; });
  expect_refused(editor.bytes(), "package.missing_entry", "aten.json");
}

TEST(HostileAten, WildCallsAreRefused) {
  expect_bad_aten([](json& aten) { aten["calls"][0]["fragment"] = 1; }, "a fragment that is not there");
  expect_bad_aten([](json& aten) { aten["calls"][0]["fragment"] = -1; }, "must be an integer");
  expect_bad_aten([](json& aten) { aten["calls"][0]["in"][0] = "v1"; }, "a value that is not known");
  expect_bad_aten([](json& aten) { aten["calls"][0]["out"][0] = "i0"; }, "defines a value twice");
  expect_bad_aten([](json& aten) { aten["outputs"][0] = "nothing"; }, "a value that is not known");
  expect_bad_aten([](json& aten) { aten["weights"] = json::array(); }, "as many weights as the graph has");
  expect_bad_aten([](json& aten) { aten["fragments"][0] = "code"; }, "must be objects");
  expect_bad_aten([](json& aten) { aten["more"] = 1; }, "more");
}

}  // namespace
}  // namespace dycl::test
