// SPDX-License-Identifier: Apache-2.0
// What the name of a function of torch says about it.
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

std::string name_of_callable(const nb::object& callee);
// Returns the name of the callable without the underscores of special methods.
std::string short_name(const nb::object& callee);

// A method such as `add_`, an in-place operator, __setitem__, or a call with `out=`.
bool writes_in_place(const nb::object& callee, const Arguments& arguments);

}  // namespace dycl::partial_eval
