// SPDX-License-Identifier: Apache-2.0
// Capabilities are declared per dtype; here each declaration is proven.
#include <gtest/gtest.h>

#include <optional>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::OnnxGraph;

const std::vector<DType>& all_dtypes() {
  static const std::vector<DType> dtypes = [] {
    std::vector<DType> found;
    for (std::int64_t number = 1; number <= 26; ++number) found.push_back(dtype_from_number(number).value());
    return found;
  }();
  return dtypes;
}

// Four elements with distinct, ordinary bit patterns.
TensorData sample(DType dtype) {
  if (dtype == DType::String) {
    const std::vector<std::string> strings{"", "a", "bc", "ä\n"};
    return make_string_tensor({4}, strings);
  }
  std::vector<std::byte> bytes(byte_size(dtype, 4).value());
  for (std::size_t index = 0; index < bytes.size(); ++index)
    bytes[index] = static_cast<std::byte>(dtype == DType::Bool ? index % 2 : (index * 7 + 1) % 100);
  return make_tensor(dtype, {4}, std::move(bytes));
}

TensorData joined_twice(const TensorData& tensor) {
  if (tensor.dtype == DType::String) {
    auto strings = strings_of(tensor).value();
    const auto copy = strings;
    strings.insert(strings.end(), copy.begin(), copy.end());
    return make_string_tensor({8}, strings);
  }
  std::vector<std::byte> bytes(tensor.bytes.begin(), tensor.bytes.end());
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return make_tensor(tensor.dtype, {8}, std::move(bytes));
}

// sample(dtype) as f32, for the dtypes that some backends can only cast.
std::optional<TensorData> sample_as_f32(DType dtype) {
  switch (dtype) {
    case DType::U4: return test::f32({4}, {1, 0, 8, 0});
    case DType::I4: return test::f32({4}, {1, 0, -8, 0});
    case DType::U2:
    case DType::I2: return test::f32({4}, {1, 0, 0, 0});
    case DType::F8E8M0: return test::f32({4}, {0x1p-126F, 0x1p-119F, 0x1p-112F, 0x1p-105F});
    default: return std::nullopt;
  }
}

// The elements 1, 2, 3, 4 of an integer dtype.
TensorData small_sample(DType dtype) {
  const std::size_t width = bit_width(dtype) / 8;
  std::vector<std::byte> bytes(4 * width);
  for (std::size_t index = 0; index < 4; ++index) bytes[index * width] = static_cast<std::byte>(index + 1);
  return make_tensor(dtype, {4}, std::move(bytes));
}

// Carried by Identity, or at least read by Cast. A backend that refuses large values must carry small ones.
void expect_carried(const TensorData& value, const Answer& identity, const Answer& cast) {
  if (identity.kind == Answer::Kind::RefusedByValue) {
    expect_known_refusal(identity);
    const TensorData small = small_sample(value.dtype);
    const Answer again = ask_node("Identity", {small}, {}, 1, {25, 13});
    ASSERT_EQ(again.kind, Answer::Kind::Computed) << again.reason;
    EXPECT_TRUE(again.outputs.at(0) == small);
    return;
  }
  if (identity.kind == Answer::Kind::Computed) {
    EXPECT_TRUE(identity.outputs.at(0) == value);
    return;
  }
  const auto expected = sample_as_f32(value.dtype);
  ASSERT_TRUE(expected) << identity.reason;
  ASSERT_EQ(cast.kind, Answer::Kind::Computed) << cast.reason;
  EXPECT_TRUE(cast.outputs.at(0) == *expected);
}

class DtypesTest : public testing::TestWithParam<DType> {};

TEST_P(DtypesTest, AreCarriedAsDeclared) {
  const TensorData value = sample(GetParam());
  const auto& declared = subject().description().dtypes;
  const auto entry = declared.find(std::string(name_of(GetParam())));
  ASSERT_NE(entry, declared.end()) << "the description says nothing about " << name_of(GetParam());
  const Answer identity = ask_node("Identity", {value}, {}, 1, {25, 13});
  const Answer cast = ask_node("Cast", {value}, {test::attribute("to", 1)}, 1, {25, 13});
  if (entry->second == "yes") {
    expect_carried(value, identity, cast);
  } else {
    EXPECT_TRUE(entry->second.starts_with("refused: ")) << entry->second;
    EXPECT_EQ(identity.kind, Answer::Kind::Refused) << identity.reason;
    EXPECT_EQ(cast.kind, Answer::Kind::Refused) << cast.reason;
    EXPECT_FALSE(identity.reason.empty());
  }
}

TEST_P(DtypesTest, AreConcatenatedOrRefused) {
  const TensorData value = sample(GetParam());
  const Answer answer = ask_node("Concat", {value, value}, {test::attribute("axis", 0)}, 1, {25, 13});
  const bool is_declared = subject().description().dtypes.at(std::string(name_of(GetParam()))) == "yes";
  if (answer.kind == Answer::Kind::Refused && !is_declared) return;
  expect_right(answer, {joined_twice(value)});
}

std::string dtype_name(const testing::TestParamInfo<DType>& info) { return std::string(name_of(info.param)); }
INSTANTIATE_TEST_SUITE_P(Every, DtypesTest, testing::ValuesIn(all_dtypes()), dtype_name);

TEST(Description, NamesTheBackendItsVersionAndItsOpset) {
  const BackendDescription& description = subject().description();
  EXPECT_FALSE(description.name.empty());
  EXPECT_FALSE(description.version.empty());
  EXPECT_GE(description.opset, 13);
  EXPECT_GE(description.ir_version, 8);
  EXPECT_EQ(description.dtypes.at("f32"), "yes");
  EXPECT_EQ(description.dtypes.size(), all_dtypes().size());
}

TEST(Description, OpsetAndIrVersionAreTrulyAccepted) {
  const BackendDescription& description = subject().description();
  const TensorData x = test::f32({2}, {1, 2});
  expect_right(ask_node("Add", {x, x}, {}, 1, {description.opset, description.ir_version}),
               {test::f32({2}, {2, 4})});
}

TEST(Description, NewerOpsetThanDeclaredIsRefusedOrRight) {
  const TensorData x = test::f32({2}, {1, 2});
  const Answer answer = ask_node("Add", {x, x}, {}, 1, {subject().description().opset + 1, 13});
  if (answer.kind == Answer::Kind::Computed) {
    EXPECT_TRUE(answer.outputs.at(0) == test::f32({2}, {2, 4}));
  }
}

}  // namespace
}  // namespace dycl::conformance
