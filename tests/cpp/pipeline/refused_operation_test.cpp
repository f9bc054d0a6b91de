// SPDX-License-Identifier: Apache-2.0
#include "pipeline/refused_operation.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl::pipeline {
namespace {

// The number of the operation in the first sub-DNN that a reason is about.
std::size_t named_in(const Hcfg& graph, std::string_view reason) {
  const auto& step = std::get<SubnetStep>(graph.blocks[0].steps[0]);
  return static_cast<std::size_t>(&refused_operation(graph, step, reason) - step.ops.data());
}

std::size_t named_by(std::string_view reason) {
  const Hcfg graph = parse_hcfg(R"(hcfg main(%x: f32[2], %n: i64[2]) -> (y: i64[1]) {
  b0:
    subnet s {
      %a: f32[2] = Relu@14(%x)
      %b: f32[1] = ReduceMean@18(%a)
      %c: i64[1] = ReduceMean@18(%n)
      %d: i64[1] = Add@14(%c, %c)
    }
    return %d
})")
                         .value();
  return named_in(graph, reason);
}

TEST(RefusedOperation, IsTheOneThatTheReasonNames) {
  EXPECT_EQ(named_by("Add on i64: not exact"), 3U);
  EXPECT_EQ(named_by("ReduceMean: not proven"), 1U);
}

TEST(RefusedOperation, IsOfTheElementTypeThatTheReasonNames) {
  EXPECT_EQ(named_by("ReduceMean on i64: computed in floating point"), 2U);
  EXPECT_EQ(named_by("ReduceMean on f32: computed in integers"), 1U);
}

TEST(RefusedOperation, IsFoundInAVendorsSentence) {
  EXPECT_EQ(named_by("Could not find an implementation for Add(14) node with name ''"), 3U);
}

TEST(RefusedOperation, MayBeInsideAFragment) {
  const Hcfg graph = parse_hcfg(R"(hcfg main(%x: f32[2]) -> (y: f64[2]) {
  fragment first(%x0: f32[2]) -> (%y0) key "first" {
      %y0: f32[2] = Cast@13(%x0) {to=1}
  }
  fragment second(%x0: f32[2]) -> (%y0) key "second" {
      %v1: f32[2] = Relu@14(%x0)
      %y0: f64[2] = Cast@13(%v1) {to=11}
  }
  b0:
    subnet s {
      %a: f32[2] = fragment first(%x)
      %b: f64[2] = fragment second(%a)
    }
    return %b
})")
                         .value();
  EXPECT_EQ(named_in(graph, "Cast on f64: computed as f32"), 1U);
  EXPECT_EQ(named_in(graph, "Cast on f32: not at all"), 0U);
  EXPECT_EQ(named_in(graph, "Relu: unknown"), 1U);
}

TEST(RefusedOperation, IsTheFirstWhenTheReasonNamesNone) {
  EXPECT_EQ(named_by("the rank of an input is not known"), 0U);
  EXPECT_EQ(named_by("Address sanitizer"), 0U);
}

}  // namespace
}  // namespace dycl::pipeline
