// SPDX-License-Identifier: Apache-2.0
// Hand-made hostile manifests and JSON, inside containers whose checksums are right.
#include <gmock/gmock.h>

#include "package/json_reader.h"
#include "package/package_editor.h"

namespace dycl::test {
namespace {

using nlohmann::json;

// The sample with its manifest edited after all hashes were made true.
std::string with_manifest(const std::function<void(json&)>& edit) {
  PackageEditor editor;
  editor.edit_json("manifest.json", edit);
  return editor.bytes();
}

std::string with_manifest_text(const std::string& text) {
  PackageEditor editor;
  editor.entry("manifest.json") = text;
  return editor.bytes();
}

TEST(HostileManifest, AMissingManifestIsRefused) {
  PackageEditor editor;
  editor.remove("manifest.json");
  expect_refused(editor.bytes(), "package.no_manifest", "the first entry is not manifest.json");
}

TEST(HostileManifest, AManifestThatIsNotFirstIsRefused) {
  PackageEditor editor;
  editor.swap(0, 1);
  expect_refused(editor.bytes(), "package.no_manifest", "the first entry is not manifest.json");
}

TEST(HostileManifest, ANewerFormatSaysToUpdate) {
  expect_refused(with_manifest([](json& manifest) { manifest["format_version"] = 2; }),
                 "package.newer_version", "made by a newer DyCL (format 2; this one reads 1)");
}

TEST(HostileManifest, ANewerFormatIsNamedEvenIfTheRestIsUnknown) {
  expect_refused(with_manifest_text(R"({"format":"dycl","format_version":9,"surprise":[1]})"),
                 "package.newer_version", "made by a newer DyCL");
}

TEST(HostileManifest, AFormatBelowOneIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["format_version"] = 0; }),
                 "package.bad_manifest", "'format_version' must be an integer from 1");
}

TEST(HostileManifest, AnotherFormatNameIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["format"] = "zip"; }), "package.bad_manifest",
                 "'format' must be 'dycl'");
}

TEST(HostileManifest, TextThatIsNotJsonIsRefused) {
  expect_refused(with_manifest_text("{\"format\": \"dycl\","), "package.bad_json", "not JSON");
}

TEST(HostileManifest, TextBehindTheDocumentIsRefused) {
  expect_refused(with_manifest_text("{} {}"), "package.bad_json", "not JSON");
}

TEST(HostileManifest, ADocumentThatIsNoObjectIsRefused) {
  expect_refused(with_manifest_text("[]"), "package.bad_manifest", "must be an object");
}

TEST(HostileManifest, ADepthBombIsRefused) {
  expect_refused(with_manifest_text(std::string(5'000'000, '[')), "package.bad_json",
                 "nested deeper than 24");
}

TEST(HostileManifest, ADepthBombOfObjectsIsRefused) {
  std::string text;
  for (int level = 0; level < 100'000; ++level) text += "{\"a\":";
  expect_refused(with_manifest_text(text), "package.bad_json", "nested deeper than 24");
}

TEST(HostileManifest, AHugeNumberIsRefused) {
  expect_refused(with_manifest_text("{\"format_version\": 1e999}"), "package.bad_json", "cannot be read");
}

TEST(HostileManifest, AnIntegerBeyond64BitsIsRefused) {
  expect_refused(with_manifest_text("{\"format_version\": 99999999999999999999999}"), "package.bad_json",
                 "not a 64-bit integer");
}

TEST(HostileManifest, ADuplicateKeyIsRefused) {
  expect_refused(with_manifest_text("{\"format\":\"dycl\",\"format\":\"dycl\"}"), "package.bad_json",
                 "'format' occurs twice");
}

TEST(HostileManifest, InvalidUtf8IsRefused) {
  expect_refused(with_manifest_text("{\"format\":\"\xff\"}"), "package.bad_json", "not JSON");
}

TEST(HostileManifest, AnUnknownKeyIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["run_on_load"] = "x"; }), "package.bad_manifest",
                 "'run_on_load' is not known here");
}

TEST(HostileManifest, AMissingKeyIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest.erase("precision"); }), "package.bad_manifest",
                 "'precision' is missing");
}

TEST(HostileManifest, AWrongHashIsRefused) {
  PackageEditor editor;
  editor.entry("hcfg.txt") = "graph evil {\n}\n";
  expect_refused(editor.bytes(), "package.bad_hash", "'hcfg.txt' do not match the sha256");
}

TEST(HostileManifest, AWrongSizeIsRefused) {
  PackageEditor editor;
  editor.entry("hcfg.txt") += "more";
  expect_refused(editor.bytes(), "package.bad_size", "'hcfg.txt' has 19 bytes, its manifest says 15");
}

TEST(HostileManifest, ANegativeSizeIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["entries"]["hcfg.txt"]["size"] = -1; }),
                 "package.bad_manifest", "'size' must be an integer from 0");
}

TEST(HostileManifest, AnEntryWithoutHashIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["entries"].erase("hcfg.txt"); }),
                 "package.bad_manifest", "no sha256 of 'hcfg.txt'");
}

TEST(HostileManifest, AnUnknownEntryIsRefused) {
  PackageEditor editor;
  editor.add("install.sh", "rm -rf");
  expect_refused(editor.bytes(), "package.unknown_entry", "'install.sh' does not belong to a package");
}

TEST(HostileManifest, AnUnknownEntryWithAHashIsRefusedToo) {
  PackageEditor editor;
  editor.add("install.sh", "rm -rf");
  editor.edit_json("manifest.json",
                   [](json& manifest) { manifest["entries"]["install.sh"] = {{"size", 6}, {"sha256", ""}}; });
  editor.rehash();
  expect_refused(editor.bytes(), "package.unknown_entry", "'install.sh'");
}

TEST(HostileManifest, AMissingEntryIsRefused) {
  PackageEditor editor;
  editor.remove("subnets/bbbb2222/openvino/blob");
  expect_refused(editor.bytes(), "package.missing_entry", "'subnets/bbbb2222/openvino/blob' is missing");
}

TEST(HostileManifest, AHashOfAnEntryThatIsNotThereIsRefused) {
  expect_refused(
      with_manifest([](json& manifest) { manifest["entries"]["ghost"] = {{"size", 0}, {"sha256", ""}}; }),
      "package.missing_entry", "'ghost' is missing");
}

TEST(HostileManifest, APathTrickInASubnetHashIsRefused) {
  expect_refused(with_manifest([](json& manifest) {
                   manifest["subnets"]["../../x"] = {{"weights", json::array()}, {"blobs", json::array()}};
                 }),
                 "package.bad_manifest", "'../../x' is not a hash");
}

TEST(HostileManifest, APathTrickInABackendNameIsRefused) {
  expect_refused(
      with_manifest([](json& manifest) { manifest["subnets"]["bbbb2222"]["blobs"] = {"../graph.onnx"}; }),
      "package.bad_manifest", "a backend that cannot exist");
}

TEST(HostileManifest, ABackendNamedTwiceIsRefused) {
  expect_refused(with_manifest([](json& manifest) {
                   manifest["subnets"]["bbbb2222"]["blobs"] = {"openvino", "openvino"};
                 }),
                 "package.bad_manifest", "once and in order");
}

TEST(HostileManifest, ASharedBlobThatIsNotThereIsRefused) {
  expect_refused(with_manifest([](json& manifest) {
                   manifest["subnets"]["aaaa1111"]["shared"] = {{"openvino", "cccc3333"}};
                 }),
                 "package.bad_manifest", "shares a blob that is not there");
}

TEST(HostileManifest, ABlobThatIsSharedAndItsOwnIsRefused) {
  expect_refused(with_manifest([](json& manifest) {
                   manifest["subnets"]["bbbb2222"]["shared"] = {{"openvino", "bbbb2222"}};
                 }),
                 "package.bad_manifest", "is a blob of its own, too");
}

TEST(HostileManifest, OtherInputsThanTheProgramHasAreRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["inputs"][0]["type"] = "f32[1,4]"; }),
                 "package.bad_manifest", "other inputs or outputs than program.json");
}

TEST(HostileManifest, AHiddenNonDeterministicEntryIsRefused) {
  expect_refused(with_manifest([](json& manifest) { manifest["nondeterministic"] = json::array(); }),
                 "package.bad_manifest", "non-deterministic");
}

TEST(HostileManifest, AnUnlistedBackendIsRefused) {
  expect_refused(with_manifest([](json& manifest) {
                   manifest["backends"].erase("openvino");
                   manifest["nondeterministic"] = json::array();
                 }),
                 "package.bad_subnet", "the backend 'openvino' is not listed");
}

TEST(JsonReader, RefusesTextBeyondItsLimitWithoutParsingIt) {
  const auto parsed = parse_json("[1,2,3]", "list.json", 6);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, "package.too_large");
  EXPECT_THAT(parsed.error().message, testing::HasSubstr("list.json has 7 bytes, at most 6 are read"));
}

TEST(JsonReader, ReadsNestedListsAndObjects) {
  const auto parsed =
      parse_json(R"({"a":[1,{"b":"c"},[]],"d":{"e":true},"f":-9223372036854775808})", "x", 1000);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->dump(), R"({"a":[1,{"b":"c"},[]],"d":{"e":true},"f":-9223372036854775808})");
}

}  // namespace
}  // namespace dycl::test
