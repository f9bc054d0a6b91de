// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace dycl::python {

// The classes in which the rewriting machine and python/dycl/frontend speak about calls of torch.
void init_protocol(nanobind::module_& module);

}  // namespace dycl::python
