// SPDX-License-Identifier: Apache-2.0
// Fragments on their way into sub-DNNs: expanded for ONNX, named for ATen.
#include "hcfg/fragment.h"

#include <gmock/gmock.h>

#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "subnet/subnets.h"

namespace dycl::subnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// %shift adds 1 and also compares, with omitted parts; %double is used twice.
const char* kProgram = R"(hcfg main(%x: f32[n,2]) -> () {
  const %w: f32[2] = hex "0000803f00000040"
  fragment double(%x0: f32[m]) -> (%y0) key "double" {
      %y0: f32[m] = Add@14(%x0, %x0)
      aten "{\"id\":\"double\"}"
  }
  fragment shift(%x0: f32[m,2], %x1: f32[2]) -> (%y0, %y1) key "shift" {
      const %c: f32[] = hex "0000803f"
      %clipped: f32[m,2] = Clip@13(%x0, _, %c)
      %unused: f32[m,2] = Neg@13(%x0)
      %y0: f32[m,2] = Add@14(%clipped, %x1)
      %y1: bool[m,2] = Less@13(%clipped, %c)
      aten "{\"id\":\"shift\"}"
  }
  b0:
    subnet s0 {
      %more: f32[2] = fragment double(%w)
      %twice: f32[2] = fragment double(%more)
      %moved: f32[n,2], %below: bool[n,2] = fragment shift(%x, %twice)
    }
    return (%moved)
})";

Hcfg parsed(std::string_view text = kProgram) {
  auto graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << to_string(graph.error());
  const Status legal = verify(*graph);
  EXPECT_TRUE(legal) << to_string(legal.error());
  return *std::move(graph);
}

const SubnetStep& subnet_of(const Hcfg& graph) { return std::get<SubnetStep>(graph.blocks[0].steps[0]); }

std::vector<std::string> names_of(const std::vector<OnnxOp>& ops) {
  std::vector<std::string> names;
  for (const OnnxOp& op : ops) names.push_back(op.name);
  return names;
}

TEST(ExpandFragments, KeepsWhatIsNeededInOrder) {
  Hcfg graph = parsed();
  const std::vector<TensorOp> step = subnet_of(graph).ops;
  const ValueId moved = outputs_of(step[2])[0];
  const ValueId below = outputs_of(step[2])[1];
  EXPECT_THAT(names_of(expand_fragments(graph, step, std::vector{moved})),
              ElementsAre("Add", "Add", "Clip", "Add"));
  EXPECT_THAT(names_of(expand_fragments(graph, step, std::vector{below})), ElementsAre("Clip", "Less"));
}

TEST(ExpandFragments, GivesEveryCallValuesOfItsOwnWithTheGraphsSizes) {
  Hcfg graph = parsed();
  const std::vector<TensorOp> step = subnet_of(graph).ops;
  const auto ops = expand_fragments(graph, step, outputs_of(step[2]));
  EXPECT_EQ(ops[0].inputs[0], graph.constants[0].value);
  EXPECT_EQ(ops[1].inputs[0], ops[0].outputs[0]) << "the second call works on the first one's result";
  EXPECT_EQ(graph.type_of(ops[1].outputs[0]), graph.type_of(graph.constants[0].value));
  EXPECT_EQ(graph.type_of(ops[2].outputs[0]), graph.type_of(graph.inputs[0].value))
      << "a symbol of the fragment became the operand's";
  EXPECT_FALSE(ops[2].inputs[1].valid()) << "an omitted operand stays omitted";
}

BackendDescription backend() {
  BackendDescription description;
  description.name = "test";
  description.opset = 21;
  description.ir_version = 10;
  return description;
}

SubnetInstance stamped(std::string_view text) {
  Hcfg graph = parsed(text);
  const auto legal = legalize::legalize_subnets(graph, backend());
  EXPECT_TRUE(legal) << to_string(legal.error());
  auto subnets = stamp_subnets(graph, *legal, backend());
  EXPECT_TRUE(subnets) << to_string(subnets.error());
  EXPECT_EQ(subnets->size(), 1U);
  return std::move(subnets->at(0));
}

TEST(StampAten, NamesCallsAndStoresEachFragmentOnce) {
  const SubnetInstance subnet = stamped(kProgram);
  EXPECT_EQ(subnet.aten, R"({"inputs":["i0"],"outputs":["v2"],"weights":[],)"
                         R"("constants":{"c0":{"type":"f32[2]","hex":"0000803f00000040"}},)"
                         R"("fragments":[{"id":"double"},{"id":"shift"}],)"
                         R"("calls":[{"fragment":0,"in":["c0"],"out":["v0"]},)"
                         R"({"fragment":0,"in":["v0"],"out":["v1"]},)"
                         R"({"fragment":1,"in":["i0","v1"],"out":["v2","v3"]}]})");
}

TEST(StampAten, IsTheSameWhateverTheNames) {
  std::string renamed = kProgram;
  for (std::size_t at = renamed.find("%more"); at != std::string::npos; at = renamed.find("%more"))
    renamed.replace(at, 5, "%grown");
  EXPECT_EQ(stamped(renamed).aten, stamped(kProgram).aten);
}

// The ONNX form leaves the sum out, and with it %z: the sub-DNN has no such input.
TEST(StampAten, NamesNoOperandThatOnlyUnneededResultsDependOn) {
  std::string text = kProgram;
  text.replace(text.find("%x: f32[n,2]"), 12, "%x: f32[n,2], %z: f32[2]");
  text.replace(text.find("shift(%x, %twice)"), 17, "shift(%x, %z)");
  text.replace(text.find("return (%moved)"), 15, "return (%below)");
  const SubnetInstance subnet = stamped(text);
  EXPECT_THAT(subnet.aten, HasSubstr(R"("inputs":["i0"])"));
  EXPECT_THAT(subnet.aten, HasSubstr(R"("in":["i0",null])"));
}

TEST(StampAten, IsEmptyWhenOneOperationHasNoAtenForm) {
  std::string text = kProgram;
  text.replace(text.find("aten \"{\\\"id\\\":\\\"double\\\"}\""), 26, "");
  EXPECT_EQ(stamped(text).aten, "");
}

}  // namespace
}  // namespace dycl::subnet
