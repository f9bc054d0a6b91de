// SPDX-License-Identifier: Apache-2.0
// tests/golden/optimize/<pass>/<case>.before.hcfg → <case>.after.hcfg, one test a case. Two folders are not
// passes: `all` runs every pass, `level_0` what is left at level 0.
#include "support/golden.h"
#include "hcfg/text.h"
#include "optimize/pass_list.h"
#include "optimize/simple_evaluator.h"
#include "support/rough_inference.h"

namespace dycl::testing {
namespace {

optimize::OptimizeOptions options_for(const std::string& folder) {
  optimize::OptimizeOptions options;
  options.verify_each = true;
  options.level = folder == "level_0" ? 0 : 1;
  if (folder == "level_0" || folder == "all") return options;
  for (const optimize::PassDescription& pass : optimize::all_passes())
    if (pass.name != folder) options.disabled.emplace_back(pass.name);
  return options;
}

class OptimizeGolden : public ::testing::TestWithParam<test::GoldenPath> {};

TEST_P(OptimizeGolden, GivesTheGraphOnFile) {
  const Result<Hcfg> before = test::read_golden(GetParam());
  ASSERT_TRUE(before) << to_string(before.error());

  SimpleEvaluator evaluator;
  optimize::PassContext context;
  context.evaluator = &evaluator;
  test::RoughInference inference;
  context.inference = &inference;
  const Result<Hcfg> after = optimize::optimize(*before, options_for(test::kind_of(GetParam())), context);
  ASSERT_TRUE(after) << to_string(after.error());
  test::expect_golden(GetParam(), print(*after));
}

const std::vector<test::GoldenPath> kCases = test::golden_cases(DYCL_GOLDEN_FOLDER);
INSTANTIATE_TEST_SUITE_P(Cases, OptimizeGolden, ::testing::ValuesIn(kCases), test::name_of_case);

TEST(OptimizeGoldenFolder, HasCasesForEveryPass) {
  for (const optimize::PassDescription& pass : optimize::all_passes())
    EXPECT_TRUE(test::has_case_of(kCases, pass.name)) << pass.name;
}

}  // namespace
}  // namespace dycl::testing
