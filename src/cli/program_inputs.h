// SPDX-License-Identifier: Apache-2.0
// From command-line arguments to the values a program runs on.
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

// One value per input of the plan, in its order. Names that the plan does not know, inputs given twice
// and inputs that are missing are refused by name, before an array is read; dtypes and shapes are the
// session's to check, those in an archive are looked at before it is expanded, too.
Result<std::vector<runtime::RuntimeValue>> read_inputs(const HostPlan& plan, const InputArguments& arguments);

}  // namespace dycl::cli
