// SPDX-License-Identifier: Apache-2.0
// One host operation, run as a program of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/plan_builder.h"

namespace dycl::runtime::testing {

// The operation on inputs of these types; the last type is the output's.
inline Result<std::vector<RuntimeValue>> apply(HostOp op, const std::vector<std::string>& types,
                                               const std::vector<RuntimeValue>& values,
                                               Attributes attributes = {}) {
  PlanBuilder plan;
  Slots inputs;
  for (std::size_t index = 0; index < values.size(); ++index)
    inputs.push_back(plan.input("x" + std::to_string(index), types[index]));
  plan.ret({plan.value(op, inputs, types.back(), std::move(attributes))});
  return run(plan, values);
}

inline void expect_raised(const Result<std::vector<RuntimeValue>>& results, const std::string& type,
                          const std::string& text) {
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().blame, Blame::Model) << to_string(results.error());
  EXPECT_EQ(results.error().exception_type, type);
  EXPECT_THAT(results.error().message, ::testing::HasSubstr(text));
}

inline RuntimeValue int_of(std::int64_t value) { return Scalar(value); }

}  // namespace dycl::runtime::testing
