// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace dycl::python {

void init_import_python(nanobind::module_& module);

}  // namespace dycl::python
