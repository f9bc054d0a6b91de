// SPDX-License-Identifier: Apache-2.0
// The files around an emitted program: how it is built, what it is, and a program that calls it.
#pragma once

#include <string>

#include "emit/body_writer.h"

namespace dycl::emit {

std::string build_text(const ProgramParts& parts);
// The assembly that makes the package part of the program.
std::string package_text(const ProgramParts& parts);
std::string readme_text(const ProgramParts& parts);
std::string example_text(const ProgramParts& parts);
// A program that compares runs with recorded ones.
std::string test_text(const ProgramParts& parts);

}  // namespace dycl::emit
