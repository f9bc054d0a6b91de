// SPDX-License-Identifier: Apache-2.0
// An index outside its tensor is an error, or a declared hazard; never a made-up element.
#include <gtest/gtest.h>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::f32;
using test::i64;

TensorData data() { return f32({3}, {10, 11, 12}); }

class OutOfRange : public testing::TestWithParam<std::int64_t> {};

TEST_P(OutOfRange, GatherIsAnErrorOrDeclared) {
  const std::int64_t index = GetParam();
  const std::string hazard = "gather_out_of_range";
  expect_error_or_hazard(hazard, ask_node("Gather", {data(), i64({1}, {index})}));
  expect_error_or_hazard(hazard, ask_node("GatherElements", {data(), i64({1}, {index})}));
  expect_error_or_hazard(hazard, ask_node("GatherND", {data(), i64({1, 1}, {index})}));
}

TEST_P(OutOfRange, ScatterIsAnErrorOrDeclared) {
  const std::int64_t index = GetParam();
  const std::string hazard = "scatter_out_of_range";
  const TensorData update = f32({1}, {9});
  expect_error_or_hazard(hazard, ask_node("ScatterElements", {data(), i64({1}, {index}), update}));
  expect_error_or_hazard(hazard, ask_node("ScatterND", {data(), i64({1, 1}, {index}), update}));
}

INSTANTIATE_TEST_SUITE_P(Indices, OutOfRange,
                         testing::Values(3, -4, 100, std::int64_t{1} << 31, (std::int64_t{1} << 32) + 1,
                                         std::int64_t{1} << 40));

TEST(InRange, NegativeIndicesCountFromTheEnd) {
  expect_right(ask_node("Gather", {data(), i64({2}, {-1, -3})}), {f32({2}, {12, 10})});
  expect_right(ask_node("GatherElements", {data(), i64({1}, {-1})}), {f32({1}, {12})});
  expect_right(ask_node("GatherND", {data(), i64({1, 1}, {-3})}), {f32({1}, {10})});
  expect_right(ask_node("ScatterElements", {data(), i64({1}, {-1}), f32({1}, {9})}), {f32({3}, {10, 11, 9})});
  expect_right(ask_node("ScatterND", {data(), i64({1, 1}, {-2}), f32({1}, {9})}), {f32({3}, {10, 9, 12})});
}

TEST(InRange, GatherFromNothingIsAnErrorOrDeclared) {
  expect_error_or_hazard("gather_out_of_range", ask_node("Gather", {f32({0}, {}), i64({1}, {0})}));
}

TEST(InRange, TouchingAnElementOfNothingIsAnErrorOrDeclared) {
  const TensorData none = f32({0}, {});
  const TensorData flat = i64({1}, {0});
  const TensorData tuple = i64({1, 1}, {0});
  const TensorData update = f32({1}, {9});
  const auto gather = [](const Answer& answer) { expect_error_or_hazard("gather_out_of_range", answer); };
  const auto scatter = [](const Answer& answer) { expect_error_or_hazard("scatter_out_of_range", answer); };
  gather(ask_node("GatherElements", {none, flat}));
  gather(ask_node("GatherND", {none, tuple}));
  gather(ask_node("GatherND", {f32({0, 4}, {}), tuple}));
  scatter(ask_node("ScatterElements", {none, flat, update}));
  scatter(ask_node("ScatterND", {none, tuple, update}));
}

TEST(InRange, NoIndicesIntoNothingAreFine) {
  const TensorData none = f32({0}, {});
  expect_right(ask_node("GatherElements", {none, i64({0}, {})}), {none});
  expect_right(ask_node("GatherND", {none, i64({0, 1}, {})}), {none});
  expect_right(ask_node("GatherND", {f32({3, 0}, {}), i64({1, 1}, {2})}), {f32({1, 0}, {})});
  expect_right(ask_node("ScatterND", {none, i64({0, 1}, {}), none}), {none});
  expect_right(ask_node("ScatterND", {data(), i64({0, 1}, {}), none}), {data()});
  expect_right(ask_node("ScatterElements", {none, i64({0}, {}), none}), {none});
}

TEST(InRange, OneHotOfAForeignIndexIsAllOff) {
  expect_right(ask_node("OneHot", {i64({2}, {1, 7}), i64({}, {3}), f32({2}, {0, 1})}),
               {f32({2, 3}, {0, 1, 0, 0, 0, 0})});
}

TEST(InRange, SliceClampsItsBounds) {
  expect_right(ask_node("Slice", {data(), i64({1}, {-100}), i64({1}, {100})}), {data()});
  expect_right(ask_node("Slice", {data(), i64({1}, {2}), i64({1}, {1})}), {f32({0}, {})});
}

}  // namespace
}  // namespace dycl::conformance
