// SPDX-License-Identifier: Apache-2.0
// This file says whether something tells two live objects apart.
#pragma once

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

// Says whether these are equal immutable values that nothing tells apart, or one and the same object.
bool same_static(const nb::object& left, const nb::object& right);
// The same for keys of dicts and elements of sets.
bool same_key(const nb::object& left, const nb::object& right);
bool same_elements(nb::handle left, nb::handle right);  // of two sets

}  // namespace dycl::partial_eval
