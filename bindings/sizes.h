// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace dycl::python {

// Sizes that are known at run time only, and what is known of them.
void init_sizes(nanobind::module_& module);

}  // namespace dycl::python
