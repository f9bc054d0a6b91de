// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "program/function.h"

namespace dycl::program {

struct PrintOptions {
  bool positions = false;  // "; 12:8" behind every line
};

// Returns readable text, such as "  %3 = call %1(%2, key=%0)  ; 12:8".
std::string to_string(const Function& function, const PrintOptions& options = {});
std::string to_string(const Function& function, const Instruction& instruction);
std::string to_string(const Function& function, const Terminator& terminator);

}  // namespace dycl::program
