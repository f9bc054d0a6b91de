// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "base/result_tree.h"

namespace dycl::python {

// A returned structure as nested tuples that api.py rebuilds with the user's classes:
// ("value", index) · ("constant", object) · ("tuple" | "list" | "set", [nodes]) · ("dict", [(key, node)]) ·
// ("dataclass" | "namedtuple" | "object", "module:Name", [(field, node)]) · ("argument", number) ·
// ("same", number). Keys are finished objects.
nanobind::object tree_to_python(const ResultNode& tree);
nanobind::object constant_to_python(const ResultConstant& constant);

}  // namespace dycl::python
