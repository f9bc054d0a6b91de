// SPDX-License-Identifier: Apache-2.0
// Scalars with Python's meaning, shared by the reference interpreter, constant folding and the
// runtime, so that they cannot disagree. A failure is the exception that Python would raise (see raised()).
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

// Computes Add … Pow on two ints or two floats. An int result beyond 64 bits raises an OverflowError, because
// it must not wrap; Python's ints have no such limit.
Result<Scalar> scalar_arithmetic(HostOp op, const Scalar& left, const Scalar& right);

// Computes Lt … Ne on scalars of any kinds. A bool counts as an int, and an int is compared with a float
// exactly.
Result<bool> scalar_compare(HostOp op, const Scalar& left, const Scalar& right);

// Truncates a float to an int. NaN raises a ValueError, infinity and 2^63 or more an OverflowError.
Result<std::int64_t> scalar_to_int(const Scalar& scalar);
double scalar_to_float(const Scalar& scalar);
bool scalar_to_bool(const Scalar& scalar);

// What an operation needs to know beside its operands.
struct ScalarContext {
  std::optional<ScalarKind> result = {};      // the kind that a power must give
  std::optional<MathFunction> function = {};  // which function Math computes
};

// Computes an operation of the family Scalar.
Result<Scalar> scalar_operation(HostOp op, std::span<const Scalar> operands,
                                const ScalarContext& context = {});
// Returns the context of an operation with these attributes and an output of this kind.
ScalarContext scalar_context(HostOp op, const Attributes& attributes, ScalarKind result);

// Returns what Python's repr() writes: "True", "3", "0.1", "1e+16", "nan".
std::string repr(const Scalar& scalar);

// Counts the scalars that a raise's format takes: its "{}", "{!r}", "{:.3f}" ("{{" and "}}" are literal
// braces).
std::size_t placeholder_count(std::string_view format);

// Checks that the format takes scalars of these kinds. Returns an empty string, or what is wrong.
std::string format_defect(std::string_view format, std::span<const ScalarKind> kinds);

// Of the scalars of a raise, how many its message shows; the others are values in its attributes.
std::size_t shown_count(std::string_view format, std::size_t scalars, const ResultTree& attributes);

// Checks that a raise has scalars of these kinds for its message and its attributes, which are a dict or
// null. Returns an empty string, or what is wrong.
std::string defect_of_raise(std::string_view format, std::span<const ScalarKind> kinds,
                            const ResultTree& attributes);

// Formats a message: "bad size {}" with 3 gives "bad size 3". A wrong number of scalars is Blame::Internal.
Result<std::string> format_message(std::string_view format, std::span<const Scalar> scalars);

}  // namespace dycl
