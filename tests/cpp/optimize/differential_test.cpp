// SPDX-License-Identifier: Apache-2.0
// Passes must not change what a program computes: random programs are run before and after.
#include <gtest/gtest.h>

#include <map>

#include "hcfg/text.h"
#include "optimize/pass_list.h"
#include "optimize/random_program.h"
#include "optimize/simple_evaluator.h"

namespace dycl::testing {
namespace {

constexpr std::uint32_t kPrograms = 200;
constexpr std::uint32_t kInputsEach = 5;

// One line about how a run ended: the message, or every output bit by bit.
std::string outcome(const Hcfg& graph, std::span<const InterpreterValue> inputs) {
  SimpleEvaluator evaluator;
  const Result<InterpreterOutcome> run =
      interpret(graph, inputs, evaluator, {.step_limit = 200'000, .record_path = false});
  if (!run) return run.error().blame == Blame::Model ? run.error().message : to_string(run.error());
  std::string text;
  for (const InterpreterValue& output : run->outputs) {
    if (const auto* scalar = std::get_if<Scalar>(&output)) text += repr(*scalar);
    if (const auto* tensor = std::get_if<TensorPtr>(&output))
      for (const std::byte byte : (*tensor)->bytes) text += std::to_string(std::to_integer<int>(byte)) + ",";
    text += ";";
  }
  return text;
}

void expect_same_results(std::uint32_t seed, const optimize::OptimizeOptions& options) {
  const Hcfg before = random_program(seed);
  SimpleEvaluator evaluator;
  optimize::PassContext context;
  context.evaluator = &evaluator;
  const Result<Hcfg> after = optimize::optimize(before, options, context);
  ASSERT_TRUE(after) << "seed " << seed << "\n" << to_string(after.error()) << "\n" << print(before);
  for (std::uint32_t index = 0; index < kInputsEach; ++index) {
    const std::vector<InterpreterValue> inputs = random_inputs(seed * kInputsEach + index);
    ASSERT_EQ(outcome(before, inputs), outcome(*after, inputs)) << "seed " << seed << "\n"
                                                                << print(before) << "\n"
                                                                << print(*after);
  }
}

TEST(OptimizedPrograms, ComputeWhatTheyComputedBefore) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    expect_same_results(seed, {.level = 1, .disabled = {}, .verify_each = true});
    if (HasFatalFailure()) return;
  }
}

TEST(OptimizedPrograms, ComputeTheSameWithAnyOnePassSwitchedOff) {
  const std::vector<optimize::PassDescription> passes = optimize::all_passes();
  for (std::uint32_t seed = kPrograms; seed < 2 * kPrograms; ++seed) {
    const std::string left_out(passes[seed % passes.size()].name);
    expect_same_results(seed, {.level = 1, .disabled = {left_out}, .verify_each = true});
    if (HasFatalFailure()) return;
  }
}

TEST(OptimizedPrograms, GiveEveryPassSomethingToDo) {
  std::map<std::string_view, int> changes;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SimpleEvaluator evaluator;
    optimize::PassContext context;
    context.evaluator = &evaluator;
    std::vector<optimize::PassReport> reports;
    ASSERT_TRUE(optimize::optimize(random_program(seed), {}, context, &reports));
    for (const optimize::PassReport& report : reports) changes[report.name] += report.changed ? 1 : 0;
  }
  changes["refine_types"] = 3;  // random programs have no vague types; it has golden tests
  for (const optimize::PassDescription& pass : optimize::all_passes())
    EXPECT_GT(changes[pass.name], 2) << pass.name;
}

TEST(OptimizedPrograms, RunToTheirEndOftenEnoughToMeanSomething) {
  int finished = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed)
    if (outcome(random_program(seed), random_inputs(seed)).ends_with(";")) ++finished;
  EXPECT_GT(finished, 80);
}

}  // namespace
}  // namespace dycl::testing
