// SPDX-License-Identifier: Apache-2.0
// May a value of one type be used where another is declared?
#pragma once

#include "hcfg/hcfg.h"

namespace dycl {

// Same kind, element type and device, all the way in; sizes are not looked at.
bool same_kind(const Type& left, const Type& right);

// Same kind, and `to` promises no more than `from` knows: a rank or a static size of `to` must be in
// `from` too. Symbols of `to` take any size; who binds them is the verifier's business.
bool flows_into(const Type& from, const Type& to);

// Well-formed on its own: elements present, nesting bounded, sizes not negative, symbols in range.
// An empty string, or what is wrong.
std::string type_defect(const Type& type, std::size_t symbol_count);

}  // namespace dycl
