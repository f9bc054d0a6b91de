// SPDX-License-Identifier: Apache-2.0
// A small valid program that uses every kind of instruction and most kinds of weights.
#pragma once

#include "package/artifact.h"

namespace dycl::test {

// x → s0 → (y, done); done ? return y : return s1(y, scale); plus a sequence and a raise.
Artifact sample_artifact();

bool same_plan(const HostPlan& left, const HostPlan& right);

}  // namespace dycl::test
