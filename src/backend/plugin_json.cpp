// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace dycl {
namespace {

using Json = nlohmann::json;
constexpr std::size_t largest_answer = std::size_t{64} << 20;

Failure bad_answer(std::string_view function, std::string_view what) {
  return fail(Blame::Backend, "backend.bad_answer",
              fmt::format("the plugin's answer to {} cannot be used: {}", function, what));
}

Json parse(std::string_view text) {
  if (text.size() > largest_answer) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

template <class T>
bool read(const Json& object, const char* key, T& into) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if constexpr (std::is_same_v<T, bool>) {
    if (!found->is_boolean()) return false;
  } else if constexpr (std::is_integral_v<T>) {
    if (!found->is_number_integer()) return false;
  } else if (!found->is_string()) {
    return false;
  }
  into = found->template get<T>();
  return true;
}

bool read_texts(const Json& object, const char* key, std::vector<std::string>& into) {
  const auto found = object.find(key);
  if (found == object.end()) return true;
  if (!found->is_array()) return false;
  for (const Json& entry : *found) {
    if (!entry.is_string()) return false;
    into.push_back(entry.get<std::string>());
  }
  return true;
}

bool read_dtypes(const Json& object, std::map<std::string, std::string>& into) {
  const auto found = object.find("dtypes");
  if (found == object.end() || !found->is_object()) return false;
  for (const auto& [name, answer] : found->items()) {
    if (!dtype_from_name(name) || !answer.is_string()) return false;
    into[name] = answer.get<std::string>();
  }
  return true;
}

std::optional<BlobKind> blob_kind(std::string_view name) {
  if (name == "none") return BlobKind::None;
  if (name == "data") return BlobKind::Data;
  if (name == "native") return BlobKind::Native;
  return std::nullopt;
}

bool read_vendor(const Json& object, VendorLibrary& into) {
  return object.is_object() && read(object, "library", into.file) && read(object, "folder", into.folder) &&
         read(object, "install", into.install);
}

std::optional<InferredDim> read_dim(const Json& json) {
  if (json.is_null()) return InferredDim{};
  if (json.is_string() && !json.get_ref<const std::string&>().empty())
    return InferredDim{-1, json.get<std::string>()};
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0) return std::nullopt;
  return InferredDim{json.get<std::int64_t>(), ""};
}

std::optional<InferredType> read_type(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  std::int64_t number = 0;
  if (!read(json, "dtype", number)) return std::nullopt;
  const auto dtype = dtype_from_number(number);
  const auto dims = json.find("dims");
  if (!dtype || dims == json.end()) return std::nullopt;
  InferredType type{*dtype, std::nullopt};
  if (dims->is_null()) return type;
  if (!dims->is_array()) return std::nullopt;
  type.dims.emplace();
  for (const Json& entry : *dims) {
    auto dim = read_dim(entry);
    if (!dim) return std::nullopt;
    type.dims->push_back(std::move(*dim));
  }
  return type;
}

}  // namespace

PluginError parse_error(std::string_view text) {
  PluginError error;
  const Json object = text.starts_with('{') ? parse(text) : Json();
  if (!object.is_object() || !read(object, "message", error.message)) return {std::string(text), {}, {}};
  read(object, "code", error.code);
  read(object, "hint", error.hint);
  return error;
}

std::string to_json(const BackendOptions& options) {
  const Json json{
      {"library", options.library.string()}, {"threads", options.threads}, {"precision", options.precision}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<BackendTraits> parse_traits(std::string_view text) {
  const Json json = parse(text);
  if (!json.is_object()) return bad_answer("traits", "it is not a JSON object");
  BackendTraits traits;
  std::string blob;
  const auto kind = read(json, "blob", blob) ? blob_kind(blob) : std::nullopt;
  if (!kind) return bad_answer("traits", "\"blob\" is wrong");
  traits.blob = *kind;
  if (json.contains("vendor") && !read_vendor(json["vendor"], traits.vendor.emplace()))
    return bad_answer("traits", "\"vendor\" is wrong");
  if (json.contains("preference") && !read(json, "preference", traits.preference.emplace()))
    return bad_answer("traits", "\"preference\" is wrong");
  if (json.contains("reference") && !read(json, "reference", traits.is_reference))
    return bad_answer("traits", "\"reference\" is wrong");
  return traits;
}

Result<BackendDescription> parse_description(std::string_view text) {
  const Json json = parse(text);
  if (!json.is_object()) return bad_answer("describe", "it is not a JSON object");
  BackendDescription result;
  const bool complete = read(json, "name", result.name) && read(json, "version", result.version) &&
                        read(json, "library", result.library) && read(json, "opset", result.opset) &&
                        read(json, "ir_version", result.ir_version) &&
                        read(json, "deterministic_blob", result.deterministic_blob);
  if (!complete) return bad_answer("describe", "a field is missing or has the wrong type");
  if (json.contains("weight_copies") && !read(json, "weight_copies", result.weight_copies))
    return bad_answer("describe", "\"weight_copies\" is wrong");
  if (json.contains("compiles_apart") && !read(json, "compiles_apart", result.compiles_apart))
    return bad_answer("describe", "\"compiles_apart\" is wrong");
  if (json.contains("remembers") && !read(json, "remembers", result.remembers))
    return bad_answer("describe", "\"remembers\" is wrong");
  if (!read_dtypes(json, result.dtypes)) return bad_answer("describe", "\"dtypes\" is wrong");
  if (!read_texts(json, "notes", result.notes)) return bad_answer("describe", "\"notes\" is wrong");
  if (!read_texts(json, "rewrites", result.rewrites)) return bad_answer("describe", "\"rewrites\" is wrong");
  if (!read_texts(json, "checks", result.checks)) return bad_answer("describe", "\"checks\" is wrong");
  if (json.contains("takes_aten") && !read(json, "takes_aten", result.takes_aten))
    return bad_answer("describe", "\"takes_aten\" is wrong");
  return result;
}

Result<std::vector<InferredType>> parse_inferred_types(std::string_view text) {
  const Json json = parse(text);
  if (!json.is_array()) return bad_answer("infer_types", "it is not a JSON list");
  std::vector<InferredType> types;
  for (const Json& entry : json) {
    auto type = read_type(entry);
    if (!type) return bad_answer("infer_types", "type " + std::to_string(types.size()) + " is wrong");
    types.push_back(std::move(*type));
  }
  return types;
}

}  // namespace dycl
