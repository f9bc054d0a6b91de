// SPDX-License-Identifier: Apache-2.0
// What rewriting a live model and trying its leaf calls share.
#pragma once

#include <nanobind/nanobind.h>

#include "partial_eval/values/protocol.h"
#include "pipeline/fragment_reader.h"

namespace dycl::python {

Result<FragmentPtr> read_fragment(pipeline::FragmentReader& reader,
                                  const partial_eval::protocol::Fragment& fragment);

void init_rewrite(nanobind::module_& module);
void init_trial(nanobind::module_& module);

}  // namespace dycl::python
