// SPDX-License-Identifier: Apache-2.0
#include "optimize/pass_list.h"

#include <gmock/gmock.h>

#include "hcfg/text.h"
#include "optimize/simple_evaluator.h"

namespace dycl::testing {
namespace {

using ::testing::HasSubstr;

Hcfg parsed(std::string_view text) {
  Result<Hcfg> graph = parse_hcfg(text);
  if (!graph) throw std::runtime_error(to_string(graph.error()));
  return std::move(*graph);
}

constexpr std::string_view kCopy = R"(hcfg main(%x: f32[2]) -> (y: f32[2]) {
  b0:
    subnet s0 {
      %y: f32[2] = Identity@14(%x)
    }
    return %y
}
)";

TEST(PassList, SaysOneSentenceAboutEachPass) {
  for (const optimize::PassDescription& pass : optimize::all_passes())
    EXPECT_TRUE(pass.sentence.ends_with(".")) << pass.name;
}

TEST(PassList, RefusesToDisableAPassThatDoesNotExistAndListsThoseThatDo) {
  optimize::PassContext context;
  const Result<Hcfg> result = optimize::optimize(parsed(kCopy), {.disabled = {"fuse_everything"}}, context);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::Usage);
  EXPECT_EQ(result.error().code, "optimize.unknown_pass");
  EXPECT_THAT(result.error().hint, HasSubstr("fold_constants"));
}

TEST(PassList, LeavesOutAPassThatIsDisabled) {
  optimize::PassContext context;
  const Result<Hcfg> with = optimize::optimize(parsed(kCopy), {}, context);
  const Result<Hcfg> without =
      optimize::optimize(parsed(kCopy), {.disabled = {"remove_identities"}}, context);
  EXPECT_THAT(print(*without), HasSubstr("Identity"));
  EXPECT_THAT(print(*with), ::testing::Not(HasSubstr("Identity")));
}

TEST(PassList, ReportsEachRunAndWhetherItChangedTheGraph) {
  optimize::PassContext context;
  std::vector<optimize::PassReport> reports;
  ASSERT_TRUE(optimize::optimize(parsed(kCopy), {}, context, &reports));
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].name, "remove_identities");
  EXPECT_TRUE(reports[0].changed);
  EXPECT_FALSE(reports.back().changed);
}

TEST(PassList, RunsOnlyGroupingAtLevelZero) {
  optimize::PassContext context;
  std::vector<optimize::PassReport> reports;
  ASSERT_TRUE(optimize::optimize(parsed(kCopy), {.level = 0, .disabled = {}}, context, &reports));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].name, "group_subnets");
}

TEST(PassList, NamesThePassThatIsRunningWhenTheGraphIsIllegal) {
  Hcfg graph = parsed(kCopy);
  graph.blocks[0].terminator = Return{{ValueId(graph.values.size() - 1), ValueId(0)}};
  optimize::PassContext context;
  const Result<Hcfg> result =
      optimize::optimize(std::move(graph), {.level = 0, .disabled = {}, .verify_each = true}, context);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::Internal);
  EXPECT_THAT(result.error().notes, ::testing::Contains(HasSubstr("group_subnets")));
}

}  // namespace
}  // namespace dycl::testing
