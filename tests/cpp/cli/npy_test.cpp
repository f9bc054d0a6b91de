// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace dycl::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string file_of(std::string_view dict, std::string_view data, char version = 1) {
  std::string padded(dict);
  padded.push_back('\n');
  std::string file("\x93NUMPY");
  file += {version, '\0', static_cast<char>(padded.size() & 0xff), static_cast<char>(padded.size() >> 8)};
  if (version > 1) file += {'\0', '\0'};
  return file + padded + std::string(data);
}

Result<TensorData> read(std::string_view file, std::optional<DType> raw_as = std::nullopt) {
  return read_npy(std::as_bytes(std::span(file)), raw_as);
}

template <class T>
std::vector<T> values(const TensorData& tensor) {
  const auto* first = reinterpret_cast<const T*>(tensor.bytes.data());
  return {first, first + tensor.bytes.size() / sizeof(T)};
}

constexpr std::string_view kTwoShorts = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";

TEST(Npy, ReadsEveryFormatVersion) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto tensor = read(file_of(kTwoShorts, std::string_view("\x01\x00\xff\xff", 4), version));
    ASSERT_TRUE(tensor) << tensor.error().message;
    EXPECT_EQ(tensor->dtype, DType::I16);
    EXPECT_THAT(tensor->dims, ElementsAre(2));
    EXPECT_THAT(values<std::int16_t>(*tensor), ElementsAre(1, -1));
  }
}

TEST(Npy, SwapsBigEndianNumbers) {
  const auto tensor = read(
      file_of("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", std::string_view("\0\0\1\2", 4)));
  ASSERT_TRUE(tensor);
  EXPECT_THAT(values<std::int32_t>(*tensor), ElementsAre(258));
}

TEST(Npy, SwapsTheTwoHalvesOfAComplexNumberApart) {
  const auto tensor = read(file_of("{'descr': '>c8', 'fortran_order': False, 'shape': (), }",
                                   std::string_view("\x3f\x80\0\0\x40\0\0\0", 8)));
  ASSERT_TRUE(tensor);
  EXPECT_THAT(values<float>(*tensor), ElementsAre(1.0F, 2.0F));
}

TEST(Npy, TurnsFortranOrderIntoRowMajor) {
  const auto tensor = read(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                                   std::string_view("\1\4\2\5\3\6", 6)));
  ASSERT_TRUE(tensor);
  EXPECT_THAT(values<std::uint8_t>(*tensor), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, ReadsWideAndNarrowStrings) {
  const auto wide = read(file_of("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
                                 std::string_view("\xe9\0\0\0\0\0\0\0a\0\0\0b\0\0\0", 16)));
  ASSERT_TRUE(wide);
  EXPECT_THAT(strings_of(*wide).value(), ElementsAre("\xc3\xa9", "ab"));
  const auto narrow = read(
      file_of("{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }", std::string_view("a\0bc", 4)));
  ASSERT_TRUE(narrow);
  EXPECT_THAT(strings_of(*narrow).value(), ElementsAre("a", "bc"));
}

TEST(Npy, WritesWhatItReadsForEveryType) {
  for (int number = 1; number <= 26; ++number) {
    const auto dtype = dtype_from_number(number);
    ASSERT_TRUE(dtype);
    if (*dtype == DType::String) continue;
    std::vector<std::byte> bytes(byte_size(*dtype, 6).value());
    for (std::size_t index = 0; index < bytes.size(); ++index) bytes[index] = std::byte(index % 2);
    const TensorData tensor = make_tensor(*dtype, {2, 3}, bytes);
    const auto file = write_npy(tensor);
    ASSERT_TRUE(file);
    const auto again = read(*file, *dtype);
    ASSERT_TRUE(again) << name_of(*dtype) << ": " << again.error().message;
    EXPECT_EQ(*again, tensor) << name_of(*dtype);
  }
}

TEST(Npy, WritesStringsThatAreNotUnicodeAsBytes) {
  const std::vector<std::string> texts{"\xff\xfe", "ok"};
  const TensorData tensor = make_string_tensor({2}, texts);
  const auto file = write_npy(tensor);
  ASSERT_TRUE(file);
  EXPECT_THAT(*file, HasSubstr("'|S2'"));
  EXPECT_EQ(read(*file).value(), tensor);
}

TEST(Npy, WritesUnicodeStringsSoThatTheyComeBack) {
  const std::vector<std::string> texts{"", "h\xc3\xa9", "\xf0\x9f\x99\x82"};
  const TensorData tensor = make_string_tensor({3, 1}, texts);
  EXPECT_EQ(read(write_npy(tensor).value()).value(), tensor);
}

TEST(Npy, RefusesToLoseATrailingNul) {
  const std::vector<std::string> texts{std::string("a\0", 2)};
  EXPECT_FALSE(write_npy(make_string_tensor({1}, texts)));
}

TEST(Npy, ReadsEmptyAndScalarArrays) {
  const auto empty = read(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 0), }", ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->count(), 0);
  const auto scalar =
      read(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", std::string_view("\1", 1)));
  ASSERT_TRUE(scalar);
  EXPECT_TRUE(scalar->dims.empty());
}

TEST(Npy, RefusesPickledObjectsByName) {
  const auto tensor = read(file_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "x"));
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().message, HasSubstr("pickled"));
}

TEST(Npy, RefusesRawElementsUnlessToldWhatTheyAre) {
  const std::string file =
      file_of("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", std::string_view("\x80\x3f", 2));
  EXPECT_FALSE(read(file));
  EXPECT_FALSE(read(file, DType::F8E5M2));
  EXPECT_EQ(read(file, DType::BF16).value().dtype, DType::BF16);
}

TEST(Npy, RefusesMalformedHeaders) {
  const std::vector<std::string> dicts{
      "",
      "{}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1",
      "{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387903,)}"};
  for (const std::string& dict : dicts) {
    const auto tensor = read(file_of(dict, std::string_view("\0\0\0\0", 4)));
    ASSERT_FALSE(tensor) << dict;
    EXPECT_EQ(tensor.error().blame, Blame::Usage) << dict;
  }
}

TEST(Npy, RefusesDataOfTheWrongSize) {
  EXPECT_FALSE(read(file_of(kTwoShorts, "abc")));
  EXPECT_FALSE(read(file_of(kTwoShorts, "abcde")));
}

TEST(Npy, RefusesEveryTruncationWithoutCrashing) {
  const std::string file = file_of(kTwoShorts, "abcd");
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(read(file.substr(0, size))) << size;
}

TEST(Npy, RefusesABoolThatIsNeitherTrueNorFalse) {
  EXPECT_FALSE(read(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\2")));
}

TEST(Npy, NamesTheFileThatIsMissing) {
  const auto tensor = read_npy_file("no/such/file.npy");
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().message, HasSubstr("no/such/file.npy"));
}

}  // namespace
}  // namespace dycl::cli
