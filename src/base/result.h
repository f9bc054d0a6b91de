// SPDX-License-Identifier: Apache-2.0
// A value, or the diagnostic that says why there is none. Errors that a user can cause are values;
// bugs are exceptions (internal_error).
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "base/diagnostic.h"

namespace dycl {

template <class T>
using Result = tl::expected<T, Diagnostic>;
using Status = Result<void>;

using Failure = tl::unexpected<Diagnostic>;

// return fail(Blame::Usage, "input.count", "the model takes 2 inputs, 1 was given");
inline Failure fail(Blame blame, std::string code, std::string message, SourceSpan span = {},
                    std::string hint = {}) {
  return Failure(Diagnostic{blame, std::move(code), std::move(message), std::move(span), std::move(hint)});
}

// Says that the model raised: return raised("ValueError", "bad size 3");
inline Failure raised(std::string exception_type, std::string message, SourceSpan span = {}) {
  Diagnostic diagnostic{Blame::Model, "model.raised", std::move(message), std::move(span), {}};
  diagnostic.exception_type = std::move(exception_type);
  return Failure(std::move(diagnostic));
}

// Makes the failure of a guard that is true. If it has no exception type, the model raises nothing: the
// backend cannot compute what eager can.
inline Failure guard_failure(std::string exception_type, std::string message) {
  if (!exception_type.empty()) return raised(std::move(exception_type), std::move(message));
  return fail(Blame::Backend, "backend.limit", std::move(message), {},
              "compile this sub-DNN for another backend");
}

// A place of the model draws random numbers more often than its input of base draws has rows.
inline Failure draws_used_up(const std::string& input, std::int64_t rows) {
  return fail(
      Blame::Usage, "run.draws_used_up",
      "this place draws more often than the input '" + input + "' has rows (" + std::to_string(rows) + ")",
      {}, "give the input more rows, or compile with a larger bound: draws={\"model.py:31\": 200}");
}

// Passes the diagnostic of a failed result on to a caller with another value type.
template <class T>
Failure failure_of(Result<T>&& result) {
  return Failure(std::move(result.error()));
}

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Reports a bug in DyCL. No user input may ever reach this; fuzzing checks it.
[[noreturn]] void internal_error(std::string_view message,
                                 std::source_location where = std::source_location::current());

}  // namespace dycl
