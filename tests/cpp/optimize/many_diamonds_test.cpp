// SPDX-License-Identifier: Apache-2.0
// Passes must stay near-linear: a chain of thousands of branches is a real model.
#include <gtest/gtest.h>

#include <chrono>

#include "hcfg/builder.h"
#include "hcfg/verify.h"
#include "optimize/pass_list.h"
#include "optimize/simple_evaluator.h"

namespace dycl::testing {
namespace {

const Type kTensor = TensorType{DType::F32, std::vector<Dim>{2}, {}};

ValueId append(HcfgBuilder& builder, const char* name, std::vector<ValueId> inputs) {
  const ValueId result = builder.graph().add_value(kTensor, "t");
  builder.tensor_op(OnnxOp{"", name, 14, {}, std::move(inputs), {result}, {}});
  return result;
}

// if item(flag) { x = relu(x) } else { x = neg(x) }, again and again; every other condition is known.
Hcfg chain_of_diamonds(int count) {
  Hcfg graph;
  HcfgBuilder builder(graph);
  const ValueId flag = graph.add_value(TensorType{DType::Bool, std::vector<Dim>{}, {}}, "flag");
  ValueId x = graph.add_value(kTensor, "x");
  graph.inputs = {{"flag", flag, graph.type_of(flag), false}, {"x", x, kTensor, false}};
  graph.outputs = {{"y", {}, kTensor, false}};
  builder.set_block(builder.new_block());
  for (int index = 0; index < count; ++index) {
    const ValueId condition = index % 2 == 0
                                  ? builder.host(HostOp::Item, {flag}, ScalarType{ScalarKind::Bool}, "c")
                                  : builder.const_bool(true);
    const BlockId then_block = builder.new_block();
    const BlockId else_block = builder.new_block();
    const BlockId join = builder.new_block();
    const ValueId joined = builder.add_parameter(join, kTensor, "x");
    builder.branch(condition, then_block, else_block);
    builder.set_block(then_block);
    builder.jump(join, {append(builder, "Relu", {x})});
    builder.set_block(else_block);
    builder.jump(join, {append(builder, "Neg", {append(builder, "Identity", {x})})});
    builder.set_block(join);
    x = joined;
  }
  builder.finish(Return{{x}});
  return graph;
}

double seconds_to_optimize(int diamonds, std::size_t& blocks) {
  SimpleEvaluator evaluator;
  optimize::PassContext context;
  context.evaluator = &evaluator;
  Hcfg graph = chain_of_diamonds(diamonds);
  const auto start = std::chrono::steady_clock::now();
  const Result<Hcfg> result = optimize::optimize(std::move(graph), {}, context);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(result) << to_string(result.error());
  blocks = result->blocks.size();
  return elapsed.count();
}

TEST(ManyDiamonds, FourThousandAreOptimizedInSecondsAndHalfOfThemFolded) {
  std::size_t blocks = 0;
  EXPECT_LT(seconds_to_optimize(4000, blocks), 60.0);  // generous: sanitizers and busy machines
  EXPECT_EQ(blocks, 1U + 3U * 2000U);
}

}  // namespace
}  // namespace dycl::testing
