// SPDX-License-Identifier: Apache-2.0
// Makes the errors of the package reader: Blame::Package, a code "package.…" and a hint.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace dycl {

inline constexpr std::string_view kGetItAgain =
    "the file is damaged or was not made by DyCL: copy it again, or compile the model (dycl compile) first";

inline Failure package_error(std::string_view name, std::string message,
                             std::string_view hint = kGetItAgain) {
  return fail(Blame::Package, "package." + std::string(name), std::move(message), {}, std::string(hint));
}

// Adds the file's name to the error, unless a deeper layer already did.
inline Failure in_file(Diagnostic diagnostic, const std::string& file) {
  if (!diagnostic.span.known()) diagnostic.span.file = file;
  return Failure(std::move(diagnostic));
}

}  // namespace dycl
