// SPDX-License-Identifier: Apache-2.0
// tests/golden/legalize/<hazard>/<case>.before.hcfg → <case>.after.hcfg, for a backend that declares this
// hazard and no other. The folder `none` holds what legalization does for a backend without hazards.
#include "support/golden.h"
#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "legalize/legalize.h"
#include "legalize/rule_list.h"

namespace dycl::testing {
namespace {

BackendDescription backend_with(const std::string& hazard) {
  BackendDescription backend;
  for (const legalize::Rule& rule : legalize::all_rules())
    if (rule.hazard == hazard)
      (rule.kind == legalize::RuleKind::Rewrite ? backend.rewrites : backend.checks).push_back(hazard);
  return backend;
}

class LegalizeGolden : public ::testing::TestWithParam<test::GoldenPath> {};

TEST_P(LegalizeGolden, GivesTheGraphOnFile) {
  Result<Hcfg> graph = test::read_golden(GetParam());
  ASSERT_TRUE(graph) << to_string(graph.error());

  const auto subnets = legalize::legalize_subnets(*graph, backend_with(test::kind_of(GetParam())));
  ASSERT_TRUE(subnets) << to_string(subnets.error());
  const std::string after = legalize::print_legal(*graph, *subnets);
  const Result<Hcfg> parsed = parse_hcfg(after);
  ASSERT_TRUE(parsed) << to_string(parsed.error()) << "\n" << after;
  const Status legal = verify(*parsed);
  EXPECT_TRUE(legal) << to_string(legal.error());
  test::expect_golden(GetParam(), after);
}

const std::vector<test::GoldenPath> kCases = test::golden_cases(DYCL_GOLDEN_FOLDER);
INSTANTIATE_TEST_SUITE_P(Cases, LegalizeGolden, ::testing::ValuesIn(kCases), test::name_of_case);

TEST(LegalizeGoldenFolder, HasCasesForEveryHazard) {
  for (const legalize::Rule& rule : legalize::all_rules())
    EXPECT_TRUE(test::has_case_of(kCases, rule.hazard)) << rule.hazard;
}

}  // namespace
}  // namespace dycl::testing
