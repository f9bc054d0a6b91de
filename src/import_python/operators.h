// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "program/instruction.h"

namespace dycl::import_python {

// By the name of `ast`: "FloorDiv", "USub", "LtE". None: it is no arithmetic operator or comparison.
program::Operation operation_of(std::string_view ast_name);

}  // namespace dycl::import_python
