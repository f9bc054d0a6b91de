// SPDX-License-Identifier: Apache-2.0
// verification.json: kept as it is, and refused when it cannot be shown.
#include <gmock/gmock.h>

#include "package/package_editor.h"
#include "package/sample_artifact.h"

namespace dycl::test {
namespace {

using nlohmann::json;

json sample_report() {
  return {{"version", 1}, {"ok", true}, {"text", "net on 2 inputs\n  -[✓] input 0"}, {"error", nullptr}};
}

TEST(VerificationEntry, IsStoredAndReadAgain) {
  Artifact artifact = sample_artifact();
  artifact.verification = sample_report().dump();
  const std::string bytes = package_bytes(artifact);
  EXPECT_NO_THROW(central_header_of(bytes, "verification.json"));
  const auto read = read_bytes(bytes);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->verification, artifact.verification);
  EXPECT_EQ(package_bytes(*read), bytes);
  EXPECT_EQ(sample_package().find("verification"), std::string::npos);
}

std::string package_with_report(const json& document, bool listed = true) {
  PackageEditor editor;
  editor.add("verification.json", document.dump());
  editor.edit_json("manifest.json", [&](json& manifest) {
    if (listed) manifest["verification"] = true;
    manifest["entries"]["verification.json"] = {{"size", 0}, {"sha256", ""}};
  });
  editor.rehash();
  return editor.bytes();
}

void expect_bad(const std::string& field, const json& value, const std::string& words) {
  json document = sample_report();
  document[field] = value;
  expect_refused(package_with_report(document), "package.bad_verification", words);
}

TEST(HostileVerificationEntry, IsRefused) {
  EXPECT_TRUE(read_bytes(package_with_report(sample_report())));
  expect_bad("text", "\x1b[2J", "cannot be printed");
  expect_bad("text", 3, "text");
  expect_bad("ok", "yes", "ok");
  expect_bad("version", 0, "version");
  expect_refused(package_with_report(json::array()), "package.bad_verification", "verification.json");
  expect_refused(package_with_report(sample_report(), false), "package.unknown_entry", "verification.json");
}

}  // namespace
}  // namespace dycl::test
