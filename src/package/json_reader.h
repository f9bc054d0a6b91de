// SPDX-License-Identifier: Apache-2.0
// Reads JSON that may be hostile. The parser keeps limits on size, depth and count; keys are unique, and
// numbers are 64-bit integers (floats are stored as hex text, bit for bit).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dycl {

using Json = nlohmann::json;

enum class JsonNulls : std::uint8_t { Refused, Allowed };

// `what` names the text in messages: "manifest.json".
Result<Json> parse_json(std::string_view text, std::string_view what, std::size_t max_bytes,
                        JsonNulls nulls = JsonNulls::Refused);

// Keeps the first problem that is found while reading a document, because later ones are consequences.
class Complaint {
 public:
  explicit Complaint(std::string_view what) : what_(what) {}

  void about(std::string place) { place_ = std::move(place); }  // "instruction 12"
  void say(std::string problem);
  [[nodiscard]] bool any() const { return message_.has_value(); }
  // Returns success, or Blame::Package with the given code ("package.bad_manifest").
  [[nodiscard]] Status status(std::string_view code) const;

 private:
  std::string what_;
  std::string place_;
  std::optional<std::string> message_;
};

// One value of a document and its name. A value of the wrong kind is a complaint and reads as empty.
class JsonCursor {
 public:
  JsonCursor(const Json& value, std::string_view name, Complaint& complaint)
      : value_(&value), name_(name), complaint_(&complaint) {}

  [[nodiscard]] JsonCursor field(std::string_view key) const;
  [[nodiscard]] std::optional<JsonCursor> optional_field(std::string_view key) const;
  void only_fields(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] std::int64_t integer(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                                     std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::uint32_t index() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string_view key() const { return name_; }
  void say(std::string_view expected) const;  // complains about this value

  template <class Function>  // elements of an array
  void each(Function function) const {
    if (!value_->is_array()) return say("must be a list");
    for (const Json& element : *value_) {
      if (complaint_->any()) return;
      function(JsonCursor(element, name_, *complaint_));
    }
  }
  template <class Function>  // members of an object; their key() is the member's
  void each_member(Function function) const {
    if (!value_->is_object()) return say("must be an object");
    for (const auto& [key, member] : value_->get_ref<const Json::object_t&>()) {
      if (complaint_->any()) return;
      function(JsonCursor(member, key, *complaint_));
    }
  }
  [[nodiscard]] std::size_t size() const { return value_->size(); }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_list() const { return value_->is_array(); }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }

 private:
  const Json* value_;
  std::string_view name_;
  Complaint* complaint_;
};

}  // namespace dycl
