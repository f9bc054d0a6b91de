// SPDX-License-Identifier: Apache-2.0
// Div and Mod on integers where the backend's own instruction would end the process or give some number.
#pragma once

#include <string_view>

#include "legalize/rule.h"

namespace dycl::legalize {

inline constexpr std::string_view kIntegerDivisionByZero = "integer_division_by_zero";
inline constexpr std::string_view kIntegerDivisionOverflow = "integer_division_overflow";

// Raises where the divisor is 0 or the quotient does not fit, and divides by 1 there. One rule for both
// hazards: the quotient of both is one operation.
bool check_integer_division(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
