// SPDX-License-Identifier: Apache-2.0
// The parts of scalar_operation() where Python is exact and C++ is not.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "base/scalar.h"

namespace dycl {

inline constexpr std::int64_t kSmallestInt = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();

double true_divide(std::int64_t left, std::int64_t right);  // right is not zero; rounded once

Result<Scalar> int_power(std::int64_t base, std::int64_t exponent);  // a float when the exponent is negative
Result<Scalar> float_power(double base, double exponent);

Result<Scalar> round_to_int(double number);                      // round(x)
Result<Scalar> round_float(double number, std::int64_t digits);  // round(x, digits)
Result<Scalar> round_int(std::int64_t number, std::int64_t digits);

// Compares an int with a float without rounding the int to a float.
std::partial_ordering compare_exactly(std::int64_t left, double right);

Result<Scalar> shift(HostOp op, std::int64_t number, std::int64_t count);  // Shl, Shr

}  // namespace dycl
