// SPDX-License-Identifier: Apache-2.0
#include "hcfg/uses.h"

#include <gtest/gtest.h>

#include "hcfg/text.h"

namespace dycl {
namespace {

Hcfg loop_graph() {
  return parse_hcfg(
             "hcfg main(%x: f32[n], %c: bool[]) -> (r: f32[n]) {\n"
             "const %w: f32[1] = hex \"00000000\"\n"
             "b0: subnet s { %a: f32[n] = Add@14(%x, %w) %b: f32[n] = Neg@13(%a) %d: f32[n] = Neg@13(%b) } "
             "jump b1(%a)\n"
             "b1(%p: f32[n]): %k: bool = item(%c) branch %k ? b2() : b3()\n"
             "b2: subnet t { %q: f32[n] = Add@14(%p, %d) } jump b1(%q)\n"
             "b3: return %p }")
      .value();
}

std::string names(const Hcfg& graph, const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += graph.value(id).name;
  return text;
}

TEST(UsesTest, ABorderListsWhatCrossesItInOrder) {
  const Hcfg graph = loop_graph();
  const SubnetBorder border = border_of(std::get<SubnetStep>(graph.blocks[0].steps[0]), use_table(graph));
  EXPECT_EQ(names(graph, border.inputs), "xw");
  EXPECT_EQ(names(graph, border.outputs), "ad");
}

TEST(UsesTest, DefinitionsAndUsesHavePlaces) {
  const Hcfg graph = loop_graph();
  const UseTable table = use_table(graph);
  const ValueId b = outputs_of(std::get<SubnetStep>(graph.blocks[0].steps[0]).ops[1])[0];
  EXPECT_EQ(table.definition(b).kind, DefinitionKind::Step);
  EXPECT_EQ(table.definition(b).place, (Place{BlockId(0), 0, 1}));
  EXPECT_EQ(table.uses_of(b), (std::vector{Place{BlockId(0), 0, 2}}));
  EXPECT_EQ(table.definition(graph.constants[0].value).kind, DefinitionKind::Constant);
  EXPECT_EQ(table.definition(graph.blocks[1].parameters[0]).kind, DefinitionKind::Parameter);
}

TEST(UsesTest, LivenessFollowsLoops) {
  const Hcfg graph = loop_graph();
  const Liveness live = liveness(graph, control_flow(graph), use_table(graph));
  EXPECT_EQ(names(graph, live.live_in[0]), "");
  EXPECT_EQ(names(graph, live.live_in[1]), "cd");
  EXPECT_EQ(names(graph, live.live_out[1]), "cdp");
  EXPECT_EQ(names(graph, live.live_in[2]), "cdp");
  EXPECT_EQ(names(graph, live.live_out[2]), "cd");
  EXPECT_EQ(names(graph, live.live_in[3]), "p");
}

TEST(UsesTest, VisitorsMayReplaceIds) {
  Hcfg graph = loop_graph();
  const ValueId x = graph.inputs[0].value;
  for_each_use(graph.blocks[3].terminator, [&](ValueId& id) { id = x; });
  EXPECT_EQ(std::get<Return>(graph.blocks[3].terminator).values, std::vector{x});
}

}  // namespace
}  // namespace dycl
