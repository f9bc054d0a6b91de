// SPDX-License-Identifier: Apache-2.0
// Scalars with Python's meaning, shared by the reference interpreter, constant folding and the
// runtime, so that they cannot disagree. Failures are what Python would raise (see raised()).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/attribute.h"
#include "base/host_op.h"
#include "base/result.h"
#include "base/type.h"

namespace dycl {

using Scalar = std::variant<bool, std::int64_t, double>;

ScalarKind kind_of(const Scalar& scalar);

enum class MathFunction : std::uint8_t;  // scalar_math.h

// Add … Pow: two ints or two floats. An int result beyond 64 bits is an OverflowError:
// Python's would go on, ours cannot, and must not wrap.
Result<Scalar> scalar_arithmetic(HostOp op, const Scalar& left, const Scalar& right);

// Lt … Ne: scalars of any kinds; a bool counts as an int, and an int meets a float exactly.
Result<bool> scalar_compare(HostOp op, const Scalar& left, const Scalar& right);

// float → int truncates; NaN is a ValueError, infinity and 2^63 or more an OverflowError.
Result<std::int64_t> scalar_to_int(const Scalar& scalar);
double scalar_to_float(const Scalar& scalar);
bool scalar_to_bool(const Scalar& scalar);

// What the operands do not say.
struct ScalarContext {
  std::optional<ScalarKind> result = {};      // the kind that a power must give
  std::optional<MathFunction> function = {};  // of Math
};

// The operations of the family Scalar.
Result<Scalar> scalar_operation(HostOp op, std::span<const Scalar> operands,
                                const ScalarContext& context = {});
// The context of an operation with these attributes and an output of this kind.
ScalarContext scalar_context(HostOp op, const Attributes& attributes, ScalarKind result);

// What Python's repr() writes: "True", "3", "0.1", "1e+16", "nan".
std::string repr(const Scalar& scalar);

// How many scalars a raise's format takes: its "{}", "{!r}", "{:.3f}" ("{{" and "}}" are literal braces).
std::size_t placeholder_count(std::string_view format);

// Does the format take scalars of these kinds? An empty string, or what is wrong.
std::string format_defect(std::string_view format, std::span<const ScalarKind> kinds);

// "bad size {}" with 3 → "bad size 3". A count that does not fit is Blame::Internal.
Result<std::string> format_message(std::string_view format, std::span<const Scalar> scalars);

}  // namespace dycl
