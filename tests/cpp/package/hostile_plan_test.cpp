// SPDX-License-Identifier: Apache-2.0
// Hand-made hostile host plans, inside packages whose hashes are right.
#include <gmock/gmock.h>

#include "package/package_editor.h"

namespace dycl::test {
namespace {

using nlohmann::json;

std::string with_program(const std::function<void(json&)>& edit) {
  PackageEditor editor;
  editor.edit_json("program.json", edit);
  editor.rehash();
  return editor.bytes();
}

void expect_bad_plan(const std::function<void(json&)>& edit, const std::string& words) {
  expect_refused(with_program(edit), "package.bad_plan", words);
}

void expect_bad_program(const std::function<void(json&)>& edit, const std::string& words) {
  expect_refused(with_program(edit), "package.bad_program", words);
}

TEST(HostilePlan, ANewerSchemaSaysToUpdate) {
  expect_refused(with_program([](json& program) { program["schema"] = 2; }), "package.newer_version",
                 "newer DyCL (schema 2");
}

json limited(json smallest, json largest) {
  return {{"name", "n"}, {"smallest", std::move(smallest)}, {"largest", std::move(largest)}};
}

TEST(HostilePlan, ARangeOfSizesThatIsEmptyNegativeOrNoNumberIsRefused) {
  expect_bad_program([](json& program) { program["symbols"][1] = limited(8, 1); }, "symbol 1: 'largest'");
  expect_bad_program([](json& program) { program["symbols"][1] = limited(-3, 1); }, "symbol 1: 'smallest'");
  expect_bad_program([](json& program) { program["symbols"][1] = limited("0", 1); }, "symbol 1: 'smallest'");
  for (const json& number : {json(0.5), json(std::uint64_t{1} << 63)})
    expect_refused(with_program([&](json& program) { program["symbols"][1] = limited(0, number); }),
                   "package.bad_json", "not a 64-bit integer");
  expect_bad_program([](json& program) { program["symbols"][1] = {{"name", "n"}}; }, "symbol 1");
  expect_bad_program([](json& program) { program["symbols"][1] = 7; }, "symbol 1");
}

TEST(HostilePlan, AWildInputSlotIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["in"] = {4000000}; },
                  "instruction 0 names slot 4000000, which does not exist");
}

TEST(HostilePlan, AWildOutputSlotIsRefused) {
  expect_bad_plan([](json& program) { program["code"][1]["out"] = {10}; }, "instruction 1 names slot 10");
}

TEST(HostilePlan, ANegativeSlotIsRefused) {
  expect_bad_program([](json& program) { program["code"][0]["in"] = {-1}; },
                     "instruction 0: 'in' must be an integer from 0");
}

TEST(HostilePlan, ASlotBeyond32BitsIsRefused) {
  expect_bad_program([](json& program) { program["code"][0]["in"] = {std::int64_t{1} << 32}; },
                     "'in' must be an integer");
}

TEST(HostilePlan, AWildSubnetIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["subnet"] = 2; },
                  "instruction 0: sub-DNN 2 does not exist");
}

TEST(HostilePlan, AWildJumpIsRefused) {
  expect_bad_plan([](json& program) { program["code"][11]["edge"]["to"] = 12; },
                  "instruction 11: instruction 12 does not exist");
}

TEST(HostilePlan, AWildSwitchTargetIsRefused) {
  expect_bad_plan([](json& program) { program["code"][9]["cases"][1]["to"] = 99; },
                  "instruction 9: instruction 99");
}

TEST(HostilePlan, AWildMoveIsRefused) {
  expect_bad_plan([](json& program) { program["code"][2]["then"]["moves"] = {{1, 77}}; },
                  "a move names slot 77");
}

TEST(HostilePlan, AMoveThatIsNoPairIsRefused) {
  expect_bad_program([](json& program) { program["code"][2]["then"]["moves"] = {{1, 5, 6}}; },
                     "pairs of slots");
}

TEST(HostilePlan, TwoMovesIntoOneSlotAreRefused) {
  expect_bad_plan([](json& program) { program["code"][2]["then"]["moves"] = {{1, 5}, {0, 5}}; },
                  "two moves write slot 5");
}

TEST(HostilePlan, AMoveBetweenKindsIsRefused) {
  expect_bad_plan([](json& program) { program["code"][2]["then"]["moves"] = {{3, 5}}; },
                  "slot 3 does not fit slot 5");
}

TEST(HostilePlan, AWildDeadSlotIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["dead"] = {12345}; },
                  "a released value names slot 12345");
}

TEST(HostilePlan, ADoubleReleaseIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["dead"] = {0, 0}; }, "slot 0 is released twice");
}

TEST(HostilePlan, AReleasedConstantIsRefused) {
  expect_bad_plan([](json& program) { program["code"][4]["dead"] = {4}; },
                  "slot 4 is a constant and cannot be released");
}

TEST(HostilePlan, AnOverwrittenConstantIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["out"] = {4, 2}; },
                  "slot 4 is a constant and cannot be written");
}

TEST(HostilePlan, ASlotReadAfterItsReleaseIsRefused) {
  expect_bad_plan([](json& program) { program["code"][0]["dead"] = {0, 1}; }, "slot 1, which may be empty");
}

TEST(HostilePlan, ASlotThatOnlyOnePathFillsIsRefused) {
  expect_bad_plan([](json& program) { program["code"][2]["then"].erase("moves"); },
                  "instruction 3: slot 5 may be empty when it is read");
}

TEST(HostilePlan, AJumpIntoTheMiddleOfABlockIsFollowed) {
  expect_bad_plan([](json& program) { program["code"][2]["else"]["to"] = 8; },
                  "instruction 8: slot 8 may be empty");
}

TEST(HostilePlan, ABranchOnATensorIsRefused) {
  expect_bad_plan([](json& program) { program["code"][2]["if"] = 2; }, "a branch needs a bool");
}

TEST(HostilePlan, ASwitchOnAFloatIsRefused) {
  expect_bad_plan([](json& program) { program["code"][9]["index"] = 7; }, "a switch needs an int");
}

TEST(HostilePlan, AHostOperationWithTooManyInputsIsRefused) {
  expect_bad_plan([](json& program) { program["code"][1]["in"] = {2, 2}; },
                  "host operation item: it has 2 inputs");
}

TEST(HostilePlan, AHostOperationOnTheWrongKindIsRefused) {
  expect_bad_plan([](json& program) { program["code"][8]["in"] = {5, 6}; },
                  "host operation seq_at: input 0 must be a sequence");
}

TEST(HostilePlan, AHostOperationWithoutItsAttributeIsRefused) {
  expect_bad_plan([](json& program) { program["code"][5].erase("attributes"); },
                  "the attribute 'value' is missing");
}

TEST(HostilePlan, AnUnknownHostOperationIsRefused) {
  expect_bad_program([](json& program) { program["code"][1]["host"] = "system"; },
                     "'host' is not a host operation");
}

TEST(HostilePlan, AnUnknownInstructionIsRefused) {
  expect_bad_program([](json& program) { program["code"][0]["op"] = "exec"; }, "'op' is not an operation");
}

TEST(HostilePlan, ControlThatFallsOffTheEndIsRefused) {
  expect_bad_plan(
      [](json& program) {
        program["code"].erase(11);
        program["code"].erase(10);
        program["code"].erase(9);
      },
      "control falls off the end");
}

TEST(HostilePlan, AProgramWithoutInstructionsIsRefused) {
  expect_bad_plan([](json& program) { program["code"] = json::array(); }, "no instructions");
}

TEST(HostilePlan, AReturnOfTooFewValuesIsRefused) {
  expect_bad_plan([](json& program) { program["code"][3]["values"] = json::array(); },
                  "0 values are returned, the program has 1");
}

TEST(HostilePlan, AReturnOfAnotherTypeIsRefused) {
  expect_bad_plan([](json& program) { program["code"][3]["values"] = {9}; },
                  "the value for output 'y:0' is of another type");
}

TEST(HostilePlan, AMessageWithTooFewScalarsIsRefused) {
  expect_bad_plan([](json& program) { program["code"][10]["format"] = "{} {} {}"; },
                  "does not take as many scalars");
}

TEST(HostilePlan, AttributesOfAnExceptionThatDoNotFitAreRefused) {
  const auto refused = [](const json& attributes, const std::string& words) {
    expect_bad_plan([&](json& program) { program["code"][10]["attributes"] = attributes; }, words);
  };
  refused(json::array({{{"none", 0}}}), "the attributes of the exception are no dict");
  refused({{{"dict", 1}}, {{"text", "n"}}, {{"value", 0}}}, "value 0 is not returned");
  refused({{{"dict", 1}}, {{"text", "n"}}, {{"argument", 0}}}, "an object of the caller's");
}

TEST(HostilePlan, AMissingConstantIsRefused) {
  expect_bad_plan([](json& program) { program["constants"][0]["weight"] = "ghost"; },
                  "the constant 'ghost' is not in the package");
}

TEST(HostilePlan, AConstantOfAnotherShapeIsRefused) {
  expect_bad_plan([](json& program) { program["constants"][0]["weight"] = "matrix"; },
                  "the constant 'matrix' does not fit slot 4");
}

TEST(HostilePlan, TwoInputsInOneSlotAreRefused) {
  expect_bad_plan(
      [](json& program) {
        program["inputs"].push_back(
            {{"name", "x2"}, {"type", "f32[s0,4]"}, {"slot", 0}, {"optional", false}});
      },
      "slot 0 of the input 'x2' is taken twice");
}

TEST(HostilePlan, AnInputThatDoesNotFitItsSlotIsRefused) {
  expect_bad_plan([](json& program) { program["inputs"][0]["type"] = "i64[s0,4]"; },
                  "the input 'x' does not fit its slot");
}

TEST(HostilePlan, AnUnknownSymbolIsRefused) {
  expect_bad_program([](json& program) { program["slots"][0] = "f32[s2,4]"; },
                     "slot 0: 'slots' has a type that cannot be read");
}

TEST(HostilePlan, ATypeDepthBombIsRefused) {
  std::string type;
  for (int level = 0; level < 100'000; ++level) type += "seq<";
  expect_bad_program([&](json& program) { program["slots"][8] = type; },
                     "type that cannot be read: seq<seq<");
}

TEST(HostilePlan, ATypeWithTooManyDimsIsRefused) {
  expect_bad_plan([](json& program) { program["slots"][0] = "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"; },
                  "slot 0: it has 17 dims");
}

TEST(HostilePlan, ANegativeSizeIsRefused) {
  expect_bad_plan([](json& program) { program["slots"][0] = "f32[-4]"; }, "slot 0: a size is negative");
}

TEST(HostilePlan, AnOptionalOfAnOptionalIsRefused) {
  expect_bad_plan([](json& program) { program["slots"][9] = "optional<optional<f32[]>>"; },
                  "an optional of an optional");
}

TEST(HostilePlan, ASubnetThatIsNotInThePackageIsRefused) {
  expect_refused(with_program([](json& program) { program["subnets"][0]["hash"] = "cccc"; }),
                 "package.bad_subnet", "sub-DNN cccc: it is not in the package");
}

TEST(HostilePlan, ACallWithTooFewOutputsIsRefused) {
  expect_refused(
      with_program([](json& program) {
        program["code"][0]["out"] = {1};
        program["code"][1] = {{"op", "host"},
                              {"host", "const"},
                              {"in", json::array()},
                              {"out", {3}},
                              {"attributes", {{"value", {{"i", 1}}}}}};
      }),
      "package.bad_subnet",
      "instruction 0: sub-DNN aaaa1111: it has 1 inputs and 2 outputs with guards, 1 and 1 are given");
}

TEST(HostilePlan, ACallWithAnotherElementTypeIsRefused) {
  expect_refused(with_program([](json& program) {
                   program["slots"][0] = "f64[s0,4]";
                   program["inputs"][0]["type"] = "f64[s0,4]";
                 }),
                 "package.bad_subnet", "slot 0 has another element type than 'i0'");
}

TEST(HostilePlan, AWildSourceIsRefused) {
  expect_bad_program([](json& program) { program["code"][0]["at"] = 500; },
                     "'at' names a source that is not in the table");
}

TEST(HostilePlan, ACallerThatIsNoEarlierSourceIsRefused) {
  for (const int caller : {0, 1, 500})
    expect_bad_program([&](json& program) { program["sources"][0]["from"] = caller; },
                       "'from' must name an earlier source");
}

// Each instruction has its stack: a small file must not ask for the product of the two.
TEST(HostilePlan, StacksThatRepeatTooManySourcesAreRefused) {
  expect_bad_program(
      [](json& program) {
        program["sources"][0]["file"] = std::string(1U << 20U, 'x');
        for (std::size_t depth = 1; depth < 20; ++depth) {
          program["sources"][depth] = program["sources"][0];
          program["sources"][depth]["from"] = depth - 1;
        }
        for (int count = 0; count < 60; ++count)
          program["code"].push_back({{"op", "jump"}, {"edge", {{"to", 0}}}, {"at", 19}});
      },
      "'at' repeats sources more often than memory allows");
}

TEST(HostilePlan, BlocksThatAreNoPairsOrNotInOrderAreRefused) {
  expect_bad_program([](json& program) { program["blocks"] = {{0, 0, 0}}; }, "pairs of numbers");
  expect_bad_program([](json& program) { program["blocks"] = {{-1, 0}}; }, "'blocks' must be an integer");
  for (const json& blocks : {json{{0, 0}, {0, 1}}, json{{3, 0}, {1, 1}}, json{{12, 0}}})
    expect_bad_plan([&](json& program) { program["blocks"] = blocks; },
                    "the blocks are not in the order of the code");
}

// The sample's return, with this tree and without the outputs that a program with trees does not list.
void expect_bad_tree(const json& tree, const std::string& code, const std::string& words) {
  PackageEditor editor;
  editor.edit_json("program.json", [&](json& program) {
    program["outputs"] = json::array();
    program["code"][3]["tree"] = tree;
  });
  editor.edit_json("manifest.json", [](json& manifest) { manifest["outputs"] = json::array(); });
  editor.rehash();
  expect_refused(editor.bytes(), code, words);
}

json value(int index) { return {{"value", index}}; }

TEST(HostilePlan, ATreeThatEndsEarlyOrHasNodesLeftOverIsRefused) {
  const auto refused = [](const json& tree, const std::string& words) {
    expect_bad_tree(tree, "package.bad_program", words);
  };
  refused(json::array(), "it ends early");
  refused({{{"tuple", 2}}, value(0)}, "promises more nodes than there are");
  refused({{{"dict", 1}}, value(0)}, "promises more nodes than there are");
  refused({{{"tuple", 4'000'000'000}}, value(0)}, "promises more nodes than there are");
  refused({{{"record", "m:A"}, {"kind", "dataclass"}, {"fields", {"x", "y"}}}, value(0)}, "it ends early");
  refused({value(0), value(0)}, "has nodes left over");
}

TEST(HostilePlan, ATreeOfUnknownNodesIsRefused) {
  const auto refused = [](const json& tree, const std::string& words) {
    expect_bad_tree(tree, "package.bad_program", words);
  };
  refused(json::array({{{"pickle", "cos\nsystem"}}}), "pickle");
  refused(json::array({{{"float", "0.5"}}}), "has a float that is not hex digits");
  refused(json::array({json::object()}), "has a node of no kind");
  refused(json::array({{{"record", "m:A"}, {"kind", "call"}, {"fields", json::array()}}}), "an unknown kind");
  refused(json::array({value(-1)}), "must be an integer from 0");
  refused(json::object(), "must be a list");
}

TEST(HostilePlan, ATreeThatNestsTooDeepIsRefused) {
  json tree = json::array();
  for (int level = 0; level < 100'000; ++level) tree.push_back({{"tuple", 1}});
  tree.push_back(value(0));
  expect_bad_tree(tree, "package.bad_program", "nests too deep");
}

TEST(HostilePlan, ATreeOfOtherValuesThanAreReturnedIsRefused) {
  const auto refused = [](const json& tree, const std::string& words) {
    expect_bad_tree(tree, "package.bad_plan", words);
  };
  refused(json::array({value(1)}), "value 1 is not returned");
  refused(json::array({{{"none", 0}}}), "a value does not stand in it");
  refused({{{"dict", 1}}, value(0), value(0)}, "a key of a dict is not a constant");
  refused({{{"record", "system"}, {"kind", "object"}, {"fields", {"x"}}}, value(0)},
          "is not the name of a class");
  refused({{{"record", "m:A"}, {"kind", "object"}, {"fields", {"x", "x"}}}, value(0), value(0)},
          "has a bad field 'x'");
}

TEST(HostilePlan, ATreeThatRepeatsWhatDoesNotStandBeforeIsRefused) {
  const auto refused = [](const json& tree, const std::string& words) {
    expect_bad_tree(tree, "package.bad_plan", words);
  };
  const auto same = [](int number) { return json{{"same", number}}; };
  refused({{{"list", 2}}, value(0), same(0)}, "repeats part 0, which is not complete");
  refused({{{"list", 2}}, value(0), same(3)}, "repeats part 3, which is not complete");
  json doubled = json::array({{{"list", 41}}, {{"list", 1}}, value(0)});
  for (int level = 1; level <= 40; ++level) {
    doubled.push_back({{"list", 2}});
    doubled.push_back(same(level));
    doubled.push_back(same(level));
  }
  refused(doubled, "more than 1000000 values");
}

TEST(HostilePlan, ATreeBesideListedOutputsIsRefused) {
  expect_bad_plan([](json& program) { program["code"][3]["tree"] = json::array({value(0)}); },
                  "a structure is returned by a program that lists outputs");
}

TEST(HostilePlan, AFloatThatIsNotHexIsRefused) {
  expect_bad_program([](json& program) { program["code"][6]["attributes"]["value"]["d"] = "0.5"; },
                     "hex digits of a float");
}

}  // namespace
}  // namespace dycl::test
