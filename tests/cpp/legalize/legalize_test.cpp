// SPDX-License-Identifier: Apache-2.0
#include "legalize/legalize.h"

#include <gmock/gmock.h>

#include <set>

#include "legalize/legal_defect.h"
#include "legalize/rule_list.h"

namespace dycl::legalize {
namespace {

using ::testing::HasSubstr;

Status made(const BackendDescription& backend) {
  Hcfg graph;
  Result<Legalizer> legalizer = Legalizer::make(graph, backend);
  return legalizer ? Status() : failure_of(std::move(legalizer));
}

BackendDescription declaring(std::vector<std::string> rewrites, std::vector<std::string> checks) {
  BackendDescription backend;
  backend.name = "mine";
  backend.rewrites = std::move(rewrites);
  backend.checks = std::move(checks);
  return backend;
}

TEST(Legalizer, TakesHazardsThatRulesServe) {
  EXPECT_TRUE(made(declaring({}, {})));
  EXPECT_TRUE(made(declaring({"sigmoid_underflow"}, {"gather_out_of_range"})));
}

TEST(Legalizer, AHazardThatNoRuleServesIsAnErrorOfThePlugin) {
  for (const BackendDescription& backend :
       {declaring({}, {"empty_mean"}), declaring({"empty_mean"}, {}),
        // a check is no rewriting, and a rewriting checks nothing
        declaring({"gather_out_of_range"}, {}), declaring({}, {"sigmoid_underflow"})}) {
    const Status status = made(backend);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().blame, Blame::Backend);
    EXPECT_EQ(status.error().code, "backend.unserved_hazard");
    EXPECT_THAT(status.error().message, HasSubstr("mine"));
  }
}

TEST(Legalizer, RulesDoNotReachABackendThatTakesAtenGraphs) {
  BackendDescription backend = declaring({}, {"gather_out_of_range"});
  backend.takes_aten = true;
  ASSERT_FALSE(made(backend));
  EXPECT_EQ(made(backend).error().code, "backend.unserved_hazard");
}

TEST(RuleList, NamesEveryHazardOnceAndSaysWhatItIs) {
  std::set<std::string_view> hazards;
  for (const Rule& rule : all_rules()) {
    EXPECT_TRUE(hazards.insert(rule.hazard).second) << rule.hazard;
    EXPECT_FALSE(rule.sentence.empty()) << rule.hazard;
  }
}

TEST(RuleList, RulesThatEagerJudgesAreLeftOutForOnnx) {
  EXPECT_EQ(rules_for({"max_pool_nan", "gather_out_of_range"}, Judge::Eager).size(), 2U);
  EXPECT_EQ(rules_for({"max_pool_nan", "gather_out_of_range"}, Judge::Onnx).size(), 1U);
}

TEST(RuleList, ARuleOfTwoHazardsIsAppliedOnce) {
  EXPECT_EQ(rules_for({"integer_division_by_zero", "integer_division_overflow"}, Judge::Onnx).size(), 1U);
}

struct Written {
  Hcfg graph;
  ConstantTable constants;
  ValueId x = graph.add_value(TensorType{DType::F32, std::nullopt, {}}, "x");
  ValueId y = graph.add_value(TensorType{DType::F32, std::nullopt, {}}, "y");
  ValueId z = graph.add_value(TensorType{DType::F32, std::nullopt, {}}, "z");

  std::string defect(const std::vector<OnnxOp>& after) {
    const std::vector<OnnxOp> before{{"", "Neg", 13, {}, {x}, {y}, {}}};
    return legal_defect(graph, constants, before, after, std::vector{y});
  }
};

TEST(LegalDefect, IsFoundWhereARuleLeavesOne) {
  Written written;
  const auto [graph, constants, x, y, z] = written;
  EXPECT_EQ(written.defect({{"", "Abs", 13, {}, {x}, {z}, {}}, {"", "Neg", 13, {}, {z}, {y}, {}}}), "");
  EXPECT_EQ(written.defect({{"", "Neg", 13, {}, {z}, {y}, {}}}), "Neg reads %z before it is made");
  EXPECT_EQ(written.defect({{"", "Neg", 13, {}, {x}, {y}, {}}, {"", "Abs", 13, {}, {x}, {y}, {}}}),
            "Abs makes %y again");
  EXPECT_EQ(written.defect({{"", "Neg", 13, {}, {x}, {x}, {}}}), "Neg makes %x again");
  EXPECT_EQ(written.defect({{"", "Neg", 13, {}, {x}, {z}, {}}}), "nothing makes %y");
}

}  // namespace
}  // namespace dycl::legalize
