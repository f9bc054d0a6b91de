// SPDX-License-Identifier: Apache-2.0
// Turns arguments of the command line into the values that a program runs on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "package/host_plan.h"
#include "runtime/value.h"

namespace dycl::cli {

struct InputArguments {
  std::vector<std::string> inputs;  // name=…, see tensor_argument.h
  std::string archive;              // an .npz with further inputs by name; may be empty
};

// Returns one value per input of the plan, in its order. It refuses names that the plan does not know, inputs
// that are given twice and inputs that are missing, before it reads an array. The session checks dtypes and
// shapes; those in an archive are also checked before it is expanded.
Result<std::vector<runtime::RuntimeValue>> read_inputs(const HostPlan& plan, const InputArguments& arguments);

}  // namespace dycl::cli
