// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace dycl::python {

void init_arguments(nanobind::module_& module);

}  // namespace dycl::python
