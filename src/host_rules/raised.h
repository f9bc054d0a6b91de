// SPDX-License-Identifier: Apache-2.0
// The rules of host operations, written once: the compiler and the runtime include these headers, and
// `dycl emit` copies them beside the programs that it writes. So they are C++17 and need the standard library
// only.
#pragma once

#include <string>
#include <utility>

#if defined(__FAST_MATH__)
#error "compile without -ffast-math: numbers would no longer be Python's"
#endif

namespace dycl::host_rules {

// Is thrown where Python raises an exception.
struct Raised {
  std::string type;  // "ZeroDivisionError"
  std::string message;
};

// Is thrown where the program cannot go on although Python could: the reason has a stable code.
struct Unable {
  std::string code;  // "scalar.dtype"
  std::string message;
};

[[noreturn]] inline void raise_exception(std::string type, std::string message) {
  throw Raised{std::move(type), std::move(message)};
}

}  // namespace dycl::host_rules
