// SPDX-License-Identifier: Apache-2.0
// What each slot of the plan becomes in the emitted program: a number, the address of a tensor whose sizes
// are known, or a value with memory of a pool.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "package/host_plan.h"

namespace dycl::emit {

// Refuses what emitted programs cannot do yet: "dycl emit cannot hold …". The hint says what can.
Failure unsupported(
    const std::string& what, SourceSpan place = {},
    const std::string& hint = "the package itself runs from C and C++ through libdycl (dycl/dycl.h)");

// Refuses what emitted programs cannot hold: texts, and tensors on another device than the CPU.
Status check_slots(const HostPlan& plan);

// Returns the sizes of a tensor whose sizes are known while the program is written.
std::vector<std::int64_t> sizes_of(const TensorType& type);
std::size_t bytes_of(const TensorType& type);
bool has_known_sizes(const Type& type);

// Returns the type of a value that is not the address of a tensor: "int64_t", "emitted::Tensor",
// "emitted::List<int64_t>".
std::string value_type(const Type& type);
std::string number_type(ScalarKind kind);

// Returns the function that reads such a number from a tensor of one element.
std::string item_function(ScalarKind kind);

// Returns the C type of an element: "float", "int64_t", "uint16_t" for f16 and bf16, "void" where none fits.
std::string element_type(DType dtype);

}  // namespace dycl::emit
