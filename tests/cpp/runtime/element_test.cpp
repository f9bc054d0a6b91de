// SPDX-License-Identifier: Apache-2.0
#include "runtime/element.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace dycl::runtime {
namespace {

Result<Scalar> read(DType dtype, std::uint64_t bits) {
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return read_single_element(*RuntimeTensor::borrow(dtype, {}, bytes.data(), *byte_size(dtype, 1)));
}

std::uint64_t written(DType dtype, const Scalar& scalar) {
  std::array<std::byte, 8> bytes{};
  EXPECT_TRUE(write_element(scalar, dtype, bytes.data()));
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}

double number(DType dtype, std::uint64_t bits) { return std::get<double>(*read(dtype, bits)); }

TEST(Elements, integers_keep_sign_and_range) {
  EXPECT_EQ(*read(DType::I8, 0xFF), Scalar(std::int64_t{-1}));
  EXPECT_EQ(*read(DType::U8, 0xFF), Scalar(std::int64_t{255}));
  EXPECT_EQ(*read(DType::I4, 0xF8), Scalar(std::int64_t{-8}));
  EXPECT_EQ(*read(DType::U4, 0xF8), Scalar(std::int64_t{8}));
  EXPECT_EQ(*read(DType::I2, 0x03), Scalar(std::int64_t{-1}));
  EXPECT_EQ(*read(DType::U32, 0xFFFFFFFF), Scalar(std::int64_t{4294967295}));
  EXPECT_EQ(read(DType::U64, UINT64_MAX).error().exception_type, "OverflowError");
}

TEST(Elements, small_floats_are_read_as_their_formats_say) {
  EXPECT_EQ(number(DType::F16, 0x3C00), 1.0);
  EXPECT_EQ(number(DType::F16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(number(DType::F16, 0xFC00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number(DType::F16, 0x7E00)));
  EXPECT_EQ(number(DType::BF16, 0x4049), 3.140625);
  EXPECT_EQ(number(DType::F8E4M3FN, 0x7E), 448.0);
  EXPECT_TRUE(std::isnan(number(DType::F8E4M3FN, 0x7F)));
  EXPECT_EQ(number(DType::F8E4M3FNUZ, 0x7F), 240.0);
  EXPECT_TRUE(std::isnan(number(DType::F8E4M3FNUZ, 0x80)));
  EXPECT_EQ(number(DType::F8E5M2, 0x7B), 57344.0);
  EXPECT_EQ(number(DType::F8E5M2FNUZ, 0x7F), 57344.0);
  EXPECT_EQ(number(DType::F4E2M1, 0x07), 6.0);
  EXPECT_EQ(number(DType::F8E8M0, 0x80), 2.0);
}

TEST(Elements, every_finite_half_survives_the_round_trip) {
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) != 0x7C00) {
      ASSERT_EQ(written(DType::F16, Scalar(number(DType::F16, bits))), bits);
    }
    if ((bits & 0x7F80) != 0x7F80) {
      ASSERT_EQ(written(DType::BF16, Scalar(number(DType::BF16, bits))), bits);
    }
  }
}

TEST(Elements, floats_are_rounded_to_nearest_even) {
  EXPECT_EQ(written(DType::F16, Scalar(2049.0)), 0x6800U);  // 2048, the even neighbour
  EXPECT_EQ(written(DType::F16, Scalar(2051.0)), 0x6802U);
  EXPECT_EQ(written(DType::F16, Scalar(65519.0)), 0x7BFFU);
  EXPECT_EQ(written(DType::F16, Scalar(65520.0)), 0x7C00U);
  EXPECT_EQ(written(DType::F16, Scalar(-1e300)), 0xFC00U);
  EXPECT_EQ(written(DType::F16, Scalar(std::ldexp(1.0, -25))), 0U);
  // Rounded twice, by way of a double, this int would become 2^60.
  const std::int64_t just_above_half = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  float single = 0;
  const auto bits = static_cast<std::uint32_t>(written(DType::F32, Scalar(just_above_half)));
  std::memcpy(&single, &bits, sizeof single);
  EXPECT_EQ(single, std::ldexp(1.0F, 60) + std::ldexp(1.0F, 37));
}

TEST(Elements, ints_that_do_not_fit_raise) {
  std::array<std::byte, 8> target{};
  for (const DType dtype : {DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32, DType::U4,
                            DType::I4, DType::U2, DType::I2}) {
    const Status done = write_element(Scalar(std::int64_t{1} << 40), dtype, target.data());
    ASSERT_FALSE(done) << name_of(dtype);
    EXPECT_EQ(done.error().exception_type, "OverflowError");
  }
  EXPECT_FALSE(write_element(Scalar(std::int64_t{-1}), DType::U64, target.data()));
  EXPECT_EQ(written(DType::I4, Scalar(std::int64_t{-8})), 0x08U);
  EXPECT_EQ(write_element(Scalar(1.0), DType::C64, target.data()).error().blame, Blame::Unsupported);
}

}  // namespace
}  // namespace dycl::runtime
