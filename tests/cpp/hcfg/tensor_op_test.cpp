// SPDX-License-Identifier: Apache-2.0
#include "hcfg/tensor_op.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "hcfg/fragment.h"

namespace dycl {
namespace {

template <class Op>
concept GivesIds = requires(Op op) {
  inputs_of(static_cast<Op>(op));
  outputs_of(static_cast<Op>(op));
};
static_assert(GivesIds<TensorOp&> && GivesIds<const TensorOp&>);
static_assert(!GivesIds<TensorOp> && !GivesIds<const OnnxOp&> && !GivesIds<const FragmentCall&>,
              "a reference into a temporary would be given");

FragmentPtr empty_fragment() {
  Fragment made;
  made.name = "double";
  return std::make_shared<const Fragment>(std::move(made));
}

TEST(TensorOpTest, ACallOfNoFragmentIsABug) { EXPECT_THROW(FragmentCall(nullptr, {}, {}), InternalError); }

TEST(TensorOpTest, BothAlternativesHaveOperandsResultsAndASource) {
  const std::vector<TensorOp> ops{OnnxOp{"", "Neg", 13, {}, {ValueId(0)}, {ValueId(1)}, SourceId(2)},
                                  FragmentCall(empty_fragment(), {ValueId(0)}, {ValueId(1)}, SourceId(2))};
  for (TensorOp op : ops) {
    EXPECT_EQ(source_of(std::as_const(op)), SourceId(2));
    inputs_of(op)[0] = ValueId(3);
    outputs_of(op)[0] = ValueId(4);
    source_of(op) = SourceId(5);
    EXPECT_EQ(inputs_of(std::as_const(op)), std::vector{ValueId(3)});
    EXPECT_EQ(outputs_of(std::as_const(op)), std::vector{ValueId(4)});
    EXPECT_EQ(source_of(std::as_const(op)), SourceId(5));
  }
  EXPECT_EQ(operation_name(ops[0]), "Neg");
  EXPECT_EQ(operation_name(ops[1]), "double");
  ASSERT_EQ(onnx_ops_of(ops).size(), 1U);
  EXPECT_EQ(onnx_ops_of(ops)[0].name, "Neg");
}

}  // namespace
}  // namespace dycl
