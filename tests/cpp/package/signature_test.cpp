// SPDX-License-Identifier: Apache-2.0
// signature.json: kept as it is, and refused when it is not well formed.
#include <gmock/gmock.h>

#include "package/package_editor.h"
#include "package/sample_artifact.h"

namespace dycl::test {
namespace {

using nlohmann::json;

json tensor(std::size_t input, const std::string& path) {
  return {{"kind", "tensor"},           {"path", path}, {"input", input},        {"type", "f32[2]"},
          {"stride", json::array({1})}, {"offset", 3},  {"requires_grad", true}, {"parameter", false}};
}

// f(batch, mode="fast", *rest): the sample's program has two inputs.
json sample_signature() {
  const json batch = {tensor(1, "batch.a"), {{"kind", "same"}, {"path", "batch.b"}, {"as", "batch.a"}}};
  json nodes = {{{"kind", "dict"},
                 {"path", "batch"},
                 {"class", "builtins:dict"},
                 {"keys", {"a", "b"}},
                 {"shown", "[]"}}};
  for (const json& node : batch) nodes.push_back(node);
  const json constant = {
      {"kind", "constant"}, {"path", "mode"}, {"text", R"(["str", "fast"])"}, {"shown", "'fast'"}};
  const json rest = {{{"kind", "tuple"}, {"path", "rest"}, {"count", 1}}, tensor(0, "rest.0")};
  return {{"version", 1},
          {"strides_matter", false},
          {"offsets_matter", true},
          {"way", {{"positional", 1}, {"keywords", {"mode"}}}},
          {"settings", {{"default_dtype", "torch.float32"}, {"autocast", "off"}}},
          {"parameters",
           {{{"name", "batch"}, {"kind", "positional"}, {"given", true}, {"nodes", nodes}},
            {{"name", "mode"}, {"kind", "positional"}, {"given", false}, {"nodes", {constant}}},
            {{"name", "rest"}, {"kind", "star"}, {"given", true}, {"nodes", rest}},
            {{"name", "named"}, {"kind", "double_star"}, {"given", false}, {"nodes", json::array()}}}}};
}

TEST(Signature, IsStoredAndReadAgain) {
  Artifact artifact = sample_artifact();
  artifact.signature = sample_signature().dump();
  const std::string bytes = package_bytes(artifact);
  EXPECT_NO_THROW(central_header_of(bytes, "signature.json"));
  const auto read = read_bytes(bytes);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->signature, artifact.signature);
  EXPECT_EQ(package_bytes(*read), bytes);
}

TEST(Signature, IsNotThereForOtherModels) {
  EXPECT_EQ(sample_package().find("signature"), std::string::npos);
}

std::string package_with_signature(const std::string& text, bool listed = true) {
  PackageEditor editor;
  editor.add("signature.json", text);
  editor.edit_json("manifest.json", [&](json& manifest) {
    if (listed) manifest["signature"] = true;
    manifest["entries"]["signature.json"] = {{"size", 0}, {"sha256", ""}};
  });
  editor.rehash();
  return editor.bytes();
}

void expect_bad(const std::function<void(json&)>& edit, const std::string& words) {
  json document = sample_signature();
  edit(document);
  expect_refused(package_with_signature(document.dump()), "package.bad_signature", words);
}

TEST(HostileSignature, TheSampleItselfIsTaken) {
  const auto read = read_bytes(package_with_signature(sample_signature().dump()));
  EXPECT_TRUE(read) << to_string(read.error());
}

TEST(HostileSignature, WhatIsNoJsonIsRefused) {
  expect_refused(package_with_signature("{"), "package.bad_json", "signature.json cannot be read");
  expect_refused(package_with_signature(std::string(10'000, '[')), "package.bad_json", "nested deeper");
  expect_refused(package_with_signature("[]"), "package.bad_signature", "signature.json");
}

TEST(HostileSignature, ANewerVersionIsNamed) {
  json document = sample_signature();
  document["version"] = 2;
  document["more"] = 1;
  expect_refused(package_with_signature(document.dump()), "package.newer_version",
                 "version 2; this one reads 1");
}

TEST(HostileSignature, ItIsThereExactlyWhenTheManifestSaysSo) {
  expect_refused(package_with_signature(sample_signature().dump(), false), "package.unknown_entry",
                 "signature.json");
  PackageEditor editor;
  editor.edit_json("manifest.json", [](json& manifest) { manifest["signature"] = true; });
  expect_refused(editor.bytes(), "package.missing_entry", "signature.json");
}

// The first input of the sample is a tensor of random numbers.
json signature_with_draws() {
  json document = sample_signature();
  document["parameters"].erase(2);
  document["draws"] = {{{"input", 0}, {"kind", "uniform"}, {"file", "/a/model.py"}, {"line", 31}}};
  return document;
}

TEST(Signature, ListsInputsThatAreRandomNumbers) {
  const auto read = read_bytes(package_with_signature(signature_with_draws().dump()));
  EXPECT_TRUE(read) << to_string(read.error());
}

TEST(HostileSignature, WildDrawsAreRefused) {
  const auto expect_bad_draw = [](const char* field, const json& value, const std::string& words) {
    json document = signature_with_draws();
    document["draws"][0][field] = value;
    expect_refused(package_with_signature(document.dump()), "package.bad_signature", words);
  };
  expect_bad_draw("input", 1, "is not an input, or occurs twice");
  expect_bad_draw("input", 2, "is not an input, or occurs twice");
  expect_bad_draw("kind", "gamma", "is not a kind of random numbers");
  expect_bad_draw("file", "a\nb", "cannot be printed");
  expect_bad_draw("line", -1, "must be");
  expect_bad_draw("more", 1, "more");
  expect_bad([](json& s) { s["draws"] = 1; }, "must be a list");
}

TEST(HostileSignature, WildNodesAreRefused) {
  const auto nodes = [](json& signature, std::size_t parameter) -> json& {
    return signature["parameters"][parameter]["nodes"];
  };
  expect_bad([&](json& s) { nodes(s, 2)[1]["input"] = 1; }, "is not an input, or occurs twice");
  expect_bad([&](json& s) { nodes(s, 2)[1]["input"] = 2; }, "is not an input, or occurs twice");
  expect_bad([&](json& s) { nodes(s, 2)[1]["input"] = -1; }, "must be an integer");
  expect_bad([&](json& s) { nodes(s, 2)[1]["offset"] = -1; }, "must be");
  expect_bad([&](json& s) { nodes(s, 2)[1]["requires_grad"] = "yes"; }, "must be");
  expect_bad([&](json& s) { nodes(s, 2)[1]["kind"] = "code"; }, "is not a kind of argument");
  expect_bad([&](json& s) { nodes(s, 2)[0]["count"] = 2; }, "lacks children");
  expect_bad([&](json& s) { nodes(s, 2)[0]["count"] = 4'000'000'000; }, "lacks children");
  expect_bad([&](json& s) { nodes(s, 2)[0]["count"] = 0; }, "must be one tree");
  expect_bad([&](json& s) { nodes(s, 0)[2]["as"] = "mode"; }, "names no earlier argument");
  expect_bad([&](json& s) { nodes(s, 0)[0]["keys"] = "ab"; }, "must be a list");
  expect_bad([&](json& s) { nodes(s, 0)[0]["class"] = "a\x1b[2J"; }, "cannot be printed");
  expect_bad([&](json& s) { nodes(s, 1)[0]["shown"] = std::string(5000, 'x'); }, "is too long");
  expect_bad([&](json& s) { nodes(s, 1)[0]["text"] = 3; }, "must be");
  expect_bad([&](json& s) { nodes(s, 1)[0]["more"] = 3; }, "more");
}

TEST(HostileSignature, WildParametersAreRefused) {
  expect_bad([](json& s) { s["parameters"].erase(2); }, "must have every input of the program");
  expect_bad([](json& s) { s["parameters"][0]["kind"] = "exec"; }, "is not a kind of parameter");
  expect_bad([](json& s) { s["parameters"][0]["given"] = 1; }, "must be");
  expect_bad([](json& s) { s["parameters"][3]["given"] = true; }, "must be one tree");
  expect_bad([](json& s) { s.erase("strides_matter"); }, "strides_matter");
  expect_bad([](json& s) { s["gradients_matter"] = 1; }, "gradients_matter");
  expect_bad([](json& s) { s["identity_matters"] = "yes"; }, "identity_matters");
  expect_bad([](json& s) { s["parameters_matter"] = 1; }, "parameters_matter");
  expect_bad([](json& s) { s["attributes_matter"] = 1; }, "attributes_matter");
  expect_bad([](json& s) { s["way"]["positional"] = -1; }, "positional");
  expect_bad([](json& s) { s["way"]["keywords"] = "mode"; }, "keywords");
  expect_bad([](json& s) { s["settings"]["autocast"] = 1; }, "autocast");
}

TEST(HostileSignature, DeepTreesAreRefused) {
  expect_bad(
      [](json& s) {
        json deep = json::array();
        for (int i = 0; i < 100'000; ++i) deep.push_back({{"kind", "list"}, {"path", "d"}, {"count", 1}});
        s["parameters"][3]["nodes"] = deep;
      },
      "nests too deeply");
}

}  // namespace
}  // namespace dycl::test
