// SPDX-License-Identifier: Apache-2.0
// Diagnostics become Python exceptions of dycl.errors.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

#include "base/result.h"

namespace dycl::python {

// Carries a diagnostic to the border; the translator turns it into the exception that errors.py makes.
class DiagnosticError : public std::exception {
 public:
  explicit DiagnosticError(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}
  [[nodiscard]] const Diagnostic& diagnostic() const { return diagnostic_; }
  [[nodiscard]] const char* what() const noexcept override { return diagnostic_.message.c_str(); }

 private:
  Diagnostic diagnostic_;
};

template <class T>
T value_or_throw(Result<T>&& result) {
  if (!result) throw DiagnosticError(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

[[noreturn]] inline void throw_usage(std::string code, std::string message, std::string hint = {}) {
  throw DiagnosticError({Blame::Usage, std::move(code), std::move(message), {}, std::move(hint)});
}

// Returns the exception that errors.py makes of a diagnostic.
nanobind::object exception_of(const Diagnostic& diagnostic);

// Returns the exit code of the command line for a blame, which has the name of errors.py here.
int exit_code_of(const std::string& blame);

void init_errors(nanobind::module_& module);

}  // namespace dycl::python
