// SPDX-License-Identifier: Apache-2.0
#include "package/attribute_json.h"

#include <bit>

#include "base/overloaded.h"
#include "base/utf8.h"
#include "package/entry.h"
#include "package/hex.h"
#include "package/safetensors.h"

namespace dycl {
namespace {

std::string float_text(float value) { return to_hex(std::bit_cast<std::uint32_t>(value), 8); }

// Attribute strings are bytes: text where they are UTF-8, else {"hex": …}.
Json string_to_json(const std::string& value) {
  if (is_utf8(value)) return value;
  return {{"hex", to_hex(bytes_of(value))}};
}

Json to_json(const Attribute& attribute) {
  return std::visit(
      Overloaded{
          [](std::int64_t value) { return Json{{"i", value}}; },
          [](float value) { return Json{{"f", float_text(value)}}; },
          [](double value) { return Json{{"d", to_hex(std::bit_cast<std::uint64_t>(value), 16)}}; },
          [](const std::string& value) { return Json{{"s", string_to_json(value)}}; },
          [](const std::vector<std::int64_t>& values) { return Json{{"is", values}}; },
          [](const std::vector<float>& values) {
            Json list = Json::array();
            for (const float value : values) list.push_back(float_text(value));
            return Json{{"fs", std::move(list)}};
          },
          [](const std::vector<std::string>& values) {
            Json list = Json::array();
            for (const std::string& value : values) list.push_back(string_to_json(value));
            return Json{{"ss", std::move(list)}};
          },
          [](const TensorPtr& tensor) {
            return Json{{"t",
                         {{"dtype", name_of(tensor->dtype)},
                          {"dims", tensor->dims},
                          {"hex", to_hex(tensor->bytes)}}}};
          },
      },
      attribute);
}

std::uint64_t bits_of(const JsonCursor& value, std::size_t digits) {
  const auto bits = bits_from_hex(value.text(), digits);
  if (!bits) value.say("must be the hex digits of a float");
  return bits.value_or(0);
}

float float_of(const JsonCursor& value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits_of(value, 8)));
}

std::vector<std::byte> hex_of(const JsonCursor& value) {
  auto bytes = from_hex(value.text());
  if (!bytes) value.say("must be hex digits");
  return std::move(bytes).value_or(std::vector<std::byte>());
}

std::string string_of(const JsonCursor& value) {
  if (!value.is_object()) return value.text();
  value.only_fields({"hex"});
  return std::string(text_of(hex_of(value.field("hex"))));
}

Attribute tensor_of(const JsonCursor& value) {
  value.only_fields({"dtype", "dims", "hex"});
  const auto dtype = dtype_from_name(value.field("dtype").text());
  std::vector<std::int64_t> dims;
  value.field("dims").each([&](const JsonCursor& dim) { dims.push_back(dim.integer(0)); });
  auto tensor = std::make_shared<const TensorData>(
      make_tensor(dtype.value_or(DType::U8), std::move(dims), hex_of(value.field("hex"))));
  if (!dtype || !check_tensor(*tensor)) value.say("is not a tensor");
  return tensor;
}

template <class T, class Function>
Attribute list_of(const JsonCursor& value, Function function) {
  std::vector<T> values;
  value.each([&](const JsonCursor& element) { values.push_back(function(element)); });
  return values;
}

Attribute from_json(const JsonCursor& value) {
  if (value.size() != 1) value.say("must have one kind");
  if (const auto found = value.optional_field("i")) return found->integer();
  if (const auto found = value.optional_field("f")) return float_of(*found);
  if (const auto found = value.optional_field("d")) return std::bit_cast<double>(bits_of(*found, 16));
  if (const auto found = value.optional_field("s")) return string_of(*found);
  if (const auto found = value.optional_field("is"))
    return list_of<std::int64_t>(*found, [](const JsonCursor& element) { return element.integer(); });
  if (const auto found = value.optional_field("fs")) return list_of<float>(*found, float_of);
  if (const auto found = value.optional_field("ss")) return list_of<std::string>(*found, string_of);
  if (const auto found = value.optional_field("t")) return tensor_of(*found);
  value.say("is of an unknown kind");
  return std::int64_t{0};
}

}  // namespace

Json attributes_to_json(const Attributes& attributes) {
  Json object = Json::object();
  for (const auto& [name, attribute] : attributes) object[name] = to_json(attribute);
  return object;
}

Attributes attributes_from_json(const JsonCursor& object) {
  Attributes attributes;
  object.each_member(
      [&](const JsonCursor& member) { attributes.emplace(std::string(member.key()), from_json(member)); });
  return attributes;
}

}  // namespace dycl
