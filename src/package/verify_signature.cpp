// SPDX-License-Identifier: Apache-2.0
#include "package/verify_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "package/error.h"
#include "package/json_reader.h"
#include "package/limits.h"

namespace dycl {
namespace {

constexpr std::int64_t kSignatureVersion = 1;

constexpr std::array<std::string_view, 5> kParameterKinds{"positional_only", "positional", "star",
                                                          "keyword_only", "double_star"};

constexpr std::array<std::string_view, 3> kDrawKinds{"uniform", "normal", "exponential"};

// Written into messages as it is.
void check_shown(const JsonCursor& text) {
  const std::string shown = text.text();
  if (shown.size() > limits::kShownBytes) text.say("is too long");
  if (std::ranges::any_of(shown, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    text.say("has characters that cannot be printed");
}

class SignatureReader {
 public:
  explicit SignatureReader(std::size_t input_count) : inputs_(input_count, false) {}

  void run(const JsonCursor& root) {
    root.only_fields({"version", "strides_matter", "layout_matters", "offsets_matter", "gradients_matter",
                      "parameters_matter", "attributes_matter", "identity_matters", "way", "settings",
                      "draws", "parameters"});
    static_cast<void>(root.field("strides_matter").boolean());
    for (const char* name : {"layout_matters", "offsets_matter", "gradients_matter", "parameters_matter",
                             "attributes_matter", "identity_matters"})
      if (const auto matters = root.optional_field(name)) static_cast<void>(matters->boolean());
    if (const auto way = root.optional_field("way")) read_way(*way);
    if (const auto settings = root.optional_field("settings")) read_settings(*settings);
    const JsonCursor parameters = root.field("parameters");
    parameters.each([&](const JsonCursor& parameter) { read_parameter(parameter); });
    if (const auto draws = root.optional_field("draws"))
      draws->each([&](const JsonCursor& draw) { read_draw(draw); });
    if (std::ranges::find(inputs_, false) != inputs_.end())
      parameters.say("must have every input of the program");
  }

 private:
  static void read_way(const JsonCursor& way) {
    way.only_fields({"positional", "keywords"});
    static_cast<void>(way.field("positional").integer(0));
    way.field("keywords").each([](const JsonCursor& name) { check_shown(name); });
  }

  static void read_settings(const JsonCursor& settings) {
    settings.only_fields({"default_dtype", "autocast"});
    check_shown(settings.field("default_dtype"));
    check_shown(settings.field("autocast"));
  }

  void read_draw(const JsonCursor& draw) {
    draw.only_fields({"input", "kind", "file", "line"});
    take_input(draw.field("input"));
    const JsonCursor kind = draw.field("kind");
    if (std::ranges::find(kDrawKinds, kind.text()) == kDrawKinds.end())
      kind.say("is not a kind of random numbers");
    check_shown(draw.field("file"));
    static_cast<void>(draw.field("line").integer(0));
  }

  void take_input(const JsonCursor& number) {
    const std::uint32_t input = number.index();
    if (input >= inputs_.size() || inputs_[input]) return number.say("is not an input, or occurs twice");
    inputs_[input] = true;
  }

  void read_parameter(const JsonCursor& parameter) {
    parameter.only_fields({"name", "kind", "given", "nodes"});
    check_shown(parameter.field("name"));
    const JsonCursor kind = parameter.field("kind");
    if (std::ranges::find(kParameterKinds, kind.text()) == kParameterKinds.end())
      kind.say("is not a kind of parameter");
    const bool given = parameter.field("given").boolean();
    const JsonCursor nodes = parameter.field("nodes");
    open_.clear();
    std::size_t roots = 0;
    nodes.each([&](const JsonCursor& node) {
      const std::size_t depth = open_.size();
      if (depth == 0) ++roots;
      read_node(node);
      if (open_.size() > limits::kSignatureDepth) node.say("nests too deeply");
      if (open_.size() == depth) finish_node();
    });
    if (!open_.empty()) nodes.say("lacks children");
    if (roots > 1 || (given && roots == 0)) nodes.say("must be one tree");
  }

  // A node without children is the last one of all that it ends.
  void finish_node() {
    while (!open_.empty() && --open_.back() == 0) open_.pop_back();
  }

  void read_node(const JsonCursor& node) {
    const JsonCursor path = node.field("path");
    check_shown(path);
    const std::string kind = node.field("kind").text();
    if (kind == "tensor") {
      read_tensor(node);
    } else if (kind == "same") {
      node.only_fields({"kind", "path", "as"});
      if (!paths_.contains(node.field("as").text())) node.field("as").say("names no earlier argument");
    } else if (kind == "constant") {
      node.only_fields({"kind", "path", "text", "shown"});
      if (const auto text = node.optional_field("text")) static_cast<void>(text->text());
      check_shown(node.field("shown"));
    } else {
      read_container(node, kind);
    }
    paths_.insert(path.text());
  }

  void read_tensor(const JsonCursor& node) {
    node.only_fields({"kind", "path", "input", "type", "stride", "offset", "requires_grad", "parameter"});
    if (const auto parameter = node.optional_field("parameter")) static_cast<void>(parameter->boolean());
    if (const auto offset = node.optional_field("offset")) static_cast<void>(offset->integer(0));
    if (const auto wanted = node.optional_field("requires_grad")) static_cast<void>(wanted->boolean());
    take_input(node.field("input"));
    check_shown(node.field("type"));
    node.field("stride").each([](const JsonCursor& stride) { static_cast<void>(stride.integer()); });
  }

  void read_container(const JsonCursor& node, const std::string& kind) {
    std::size_t children = 0;
    if (kind == "list" || kind == "tuple") {
      node.only_fields({"kind", "path", "count"});
      children = node.field("count").index();
    } else if (kind == "named_tuple") {
      node.only_fields({"kind", "path", "class", "count"});
      children = node.field("count").index();
    } else if (kind == "dict") {
      node.only_fields({"kind", "path", "class", "keys", "shown"});
      children = names_in(node.field("keys"));
      check_shown(node.field("shown"));
    } else if (kind == "object") {
      node.only_fields({"kind", "path", "class", "names"});
      children = names_in(node.field("names"));
    } else {
      return node.field("kind").say("is not a kind of argument");
    }
    if (kind != "list" && kind != "tuple") check_shown(node.field("class"));
    if (children > 0) open_.push_back(children);
  }

  static std::size_t names_in(const JsonCursor& names) {
    names.each([](const JsonCursor& name) { static_cast<void>(name.text()); });
    return names.size();
  }

  std::vector<bool> inputs_;
  std::vector<std::size_t> open_;  // how many children are still to come, outermost first
  std::set<std::string> paths_;
};

}  // namespace

Status check_signature(std::string_view text, std::size_t input_count) {
  auto document = parse_json(text, "signature.json", limits::kSignatureBytes);
  if (!document) return failure_of(std::move(document));
  Complaint complaint("signature.json");
  const JsonCursor root(*document, "signature", complaint);
  const std::int64_t version = root.field("version").integer(1);
  if (!complaint.any() && version > kSignatureVersion)
    return package_error("newer_version",
                         fmt::format("the signature was made by a newer DyCL (version {}; this one reads {})",
                                     version, kSignatureVersion),
                         "update DyCL, or compile the model again with this version");
  SignatureReader(input_count).run(root);
  return complaint.status("package.bad_signature");
}

}  // namespace dycl
