// SPDX-License-Identifier: Apache-2.0
// Verifies what the rules have written.
#pragma once

#include <span>
#include <string>

#include "hcfg/constant_table.h"
#include "hcfg/hcfg.h"

namespace dycl::legalize {

// Does every operation read only what is there (made before it, constant, or read from outside by `before`,
// the operations as they were), is every value made once, and every output made? An empty string, or what is
// wrong.
std::string legal_defect(const Hcfg& graph, const ConstantTable& constants, std::span<const OnnxOp> before,
                         std::span<const OnnxOp> after, std::span<const ValueId> outputs);

}  // namespace dycl::legalize
