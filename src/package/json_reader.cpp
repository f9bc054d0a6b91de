// SPDX-License-Identifier: Apache-2.0
#include "package/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "package/entry.h"
#include "package/error.h"
#include "package/limits.h"

namespace dycl {
namespace {

// Builds the document from the parser's events; stops at the first thing beyond a limit.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(JsonNulls nulls) : nulls_(nulls) {}

  Json root;
  std::string problem;

  bool null() override { return nulls_ == JsonNulls::Allowed ? add({}) : stop("null is not used"); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return bad_number();
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return bad_number(); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return stop("binary is not used"); }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    if (open_.back()->contains(name)) return stop(fmt::format("the key '{}' occurs twice", shown(name)));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return stop(fmt::format("it is not JSON at byte {}", position));
  }

 private:
  bool stop(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool bad_number() { return stop("it has a number that is not a 64-bit integer"); }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool open(Json value) {
    if (open_.size() == limits::kJsonDepth)
      return stop(fmt::format("it is nested deeper than {} levels", limits::kJsonDepth));
    if (!add(std::move(value))) return false;
    open_.push_back(last_);
    return true;
  }
  bool add(Json value) {
    if (++count_ > limits::kJsonValues) return stop("it has too many values");
    if (open_.empty()) {
      root = std::move(value);
      last_ = &root;
    } else if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      last_ = &open_.back()->back();
    } else {
      last_ = &((*open_.back())[key_] = std::move(value));
    }
    return true;
  }

  JsonNulls nulls_;
  std::vector<Json*> open_;  // a parent does not grow while a child is open, so these stay valid
  Json* last_ = nullptr;
  std::string key_;
  std::size_t count_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what, std::size_t max_bytes,
                        JsonNulls nulls) {
  if (text.size() > max_bytes)
    return package_error("too_large",
                         fmt::format("{} has {} bytes, at most {} are read", what, text.size(), max_bytes));
  StrictBuilder builder(nulls);
  if (!Json::sax_parse(text, &builder))
    return package_error("bad_json", fmt::format("{} cannot be read: {}", what, builder.problem));
  return std::move(builder.root);
}

void Complaint::say(std::string problem) {
  if (message_) return;
  message_ = place_.empty() ? fmt::format("{}: {}", what_, problem)
                            : fmt::format("{}: {}: {}", what_, place_, problem);
}

Status Complaint::status(std::string_view code) const {
  if (!message_) return {};
  return fail(Blame::Package, std::string(code), *message_, {}, std::string(kGetItAgain));
}

void JsonCursor::say(std::string_view expected) const {
  complaint_->say(fmt::format("'{}' {}", shown(name_), expected));
}

std::optional<JsonCursor> JsonCursor::optional_field(std::string_view key) const {
  if (!value_->is_object()) {
    say("must be an object");
    return std::nullopt;
  }
  const auto& members = value_->get_ref<const Json::object_t&>();
  const auto found = members.find(key);
  if (found == members.end()) return std::nullopt;
  return JsonCursor(found->second, found->first, *complaint_);
}

JsonCursor JsonCursor::field(std::string_view key) const {
  static const Json kNothing;
  if (const auto found = optional_field(key)) return *found;
  complaint_->say(fmt::format("'{}' is missing", key));
  return {kNothing, key, *complaint_};
}

void JsonCursor::only_fields(std::initializer_list<std::string_view> keys) const {
  each_member([&](const JsonCursor& member) {
    if (std::ranges::find(keys, member.key()) == keys.end()) member.say("is not known here");
  });
}

std::int64_t JsonCursor::integer(std::int64_t low, std::int64_t high) const {
  if (value_->is_number_integer()) {
    const auto number = value_->get<std::int64_t>();
    if (number >= low && number <= high) return number;
  }
  say(fmt::format("must be an integer from {} to {}", low, high));
  return low > 0 ? low : 0;
}

std::uint32_t JsonCursor::index() const {
  // The largest value stands for "none" and is never written.
  return static_cast<std::uint32_t>(integer(0, std::numeric_limits<std::uint32_t>::max() - 1));
}

bool JsonCursor::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  say("must be true or false");
  return false;
}

std::string JsonCursor::text() const {
  if (value_->is_string()) return value_->get<std::string>();
  say("must be text");
  return {};
}

}  // namespace dycl
