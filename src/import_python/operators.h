// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "program/instruction.h"

namespace dycl::import_python {

// Finds an operation by its name in `ast`: "FloorDiv", "USub", "LtE". Others give Operation::None.
program::Operation operation_of(std::string_view ast_name);

}  // namespace dycl::import_python
