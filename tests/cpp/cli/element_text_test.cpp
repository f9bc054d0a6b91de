// SPDX-License-Identifier: Apache-2.0
#include "cli/element_text.h"

#include <gtest/gtest.h>

namespace dycl::cli {
namespace {

TEST(ElementText, AbbreviatesLongAxes) {
  std::vector<std::uint8_t> values(20);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = static_cast<std::uint8_t>(index);
  const TensorData tensor = make_tensor_of<std::uint8_t>(DType::U8, {20}, values);
  EXPECT_EQ(tensor_text(tensor), "u8[20] = [0, 1, 2, ..., 17, 18, 19]");
  EXPECT_EQ(tensor_text(tensor, 100).size(), std::string("u8[20] = []").size() + 10 * 3 + 10 * 4 - 2);
}

TEST(ElementText, PrintsFloatsSoThatTheyReadBackExactly) {
  const std::vector<float> values{0.1F, -0.0F, 1e-42F};
  const TensorData tensor = make_tensor_of<float>(DType::F32, {3}, values);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const auto bytes = parse_element(DType::F32, element_text(tensor, static_cast<std::int64_t>(index)));
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(std::ranges::equal(*bytes, tensor.bytes.subspan(index * 4, 4))) << index;
  }
}

TEST(ElementText, PrintsEmptyTensorsAndScalars) {
  EXPECT_EQ(tensor_text(make_tensor(DType::F32, {2, 0}, {})), "f32[2,0] = [[], []]");
  EXPECT_EQ(tensor_text(make_tensor(DType::Bool, {}, {std::byte{1}})), "bool[] = true");
}

TEST(ElementText, PrintsComplexNumbersAndBitsOfTypesWithoutText) {
  const std::vector<float> parts{1.0F, -2.0F};
  EXPECT_EQ(tensor_text(make_tensor_of<float>(DType::C64, {}, parts)), "c64[] = 1-2j");
  EXPECT_EQ(tensor_text(make_tensor(DType::F8E5M2, {1}, {std::byte{0x3c}})), "f8e5m2[1] = [0x3c]");
}

}  // namespace
}  // namespace dycl::cli
