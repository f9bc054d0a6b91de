// SPDX-License-Identifier: Apache-2.0
#include "program/simplify.h"

#include <gtest/gtest.h>

#include "program/functions.h"
#include "program/print.h"

namespace dycl::program {
namespace {

Instruction check(RegisterId id) { return {.op = Op::CheckBound, .operands = {id}}; }

TEST(RemoveNeedlessBoundChecks, ACheckBehindADefinitionOnEveryWayGoes) {
  Function f;
  const RegisterId c = add_parameter(f, "c");
  const RegisterId x = add_register(f, "x");
  const RegisterId y = add_register(f, "y");
  add_block(f, {}, Branch{c, BlockId(1), BlockId(2)});
  add_block(f, {move(x, c), move(y, c)}, Jump{BlockId(3)});
  add_block(f, {move(x, c)}, Jump{BlockId(3)});
  add_block(f, {check(x), check(y), check(y), check(c)}, Return{x});
  remove_needless_bound_checks(f);
  ASSERT_EQ(f.blocks[3].instructions.size(), 1U) << to_string(f);
  EXPECT_EQ(f.blocks[3].instructions[0].operands[0], y);
}

TEST(RemoveNeedlessBoundChecks, DeletingALocalNeedsTheCheckAgain) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  add_block(f, {check(x), {.op = Op::Delete, .result = x}, check(x)}, Return{x});
  remove_needless_bound_checks(f);
  EXPECT_EQ(f.blocks[0].instructions.size(), 2U);
}

TEST(RemoveNeedlessBoundChecks, AHandlerMayRunBeforeTheDefinition) {
  Function f;
  const RegisterId c = add_parameter(f, "c");
  const RegisterId x = add_register(f, "x");
  const RegisterId error = add_register(f, "%0", RegisterKind::Temporary);
  add_block(f, {add(x, c, c)}, Return{x});
  f.blocks[0].handler = Handler{BlockId(1), error};
  add_block(f, {check(x)}, Return{x});
  remove_needless_bound_checks(f);
  EXPECT_EQ(f.blocks[1].instructions.size(), 1U);
}

TEST(RemoveNeedlessBoundChecks, ALoopThatMayNotRunBindsNothing) {
  Function f;
  const RegisterId it = add_parameter(f, "it");
  const RegisterId v = add_register(f, "v");
  add_block(f, {}, ForNext{it, v, BlockId(1), BlockId(2)});
  add_block(f, {check(v)}, Jump{BlockId(0)});
  add_block(f, {check(v)}, Return{v});
  remove_needless_bound_checks(f);
  EXPECT_TRUE(f.blocks[1].instructions.empty());
  EXPECT_EQ(f.blocks[2].instructions.size(), 1U);
}

TEST(MergeBlocks, ChainsBecomeOneBlockAndDeadBlocksGo) {
  Function f = graph({{2}, {3}, {3}, {4}, {}});
  merge_blocks(f);
  EXPECT_EQ(f.blocks.size(), 1U) << to_string(f);
}

TEST(MergeBlocks, BlocksWithDifferentHandlersStayApartIfBothMayRaise) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  add_block(f, {add(x, x, x)}, Jump{BlockId(1)});
  add_block(f, {add(x, x, x)}, Return{x});
  add_block(f, {}, Reraise{x});
  f.blocks[1].handler = Handler{BlockId(2), x};
  Function quiet = f;
  quiet.blocks[0].instructions = {move(x, x)};
  merge_blocks(f);
  EXPECT_EQ(f.blocks.size(), 3U) << to_string(f);
  merge_blocks(quiet);
  EXPECT_EQ(quiet.blocks.size(), 2U) << to_string(quiet);
  EXPECT_TRUE(quiet.blocks[0].handler.has_value());
}

TEST(MergeBlocks, AHandlerThatNothingCanReachGoes) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  add_block(f, {move(x, x)}, Return{x});
  add_block(f, {}, Reraise{x});
  f.blocks[0].handler = Handler{BlockId(1), x};
  merge_blocks(f);
  EXPECT_EQ(f.blocks.size(), 1U);
}

TEST(MergeBlocks, AnEmptyEndlessLoopStays) {
  Function f = graph({{1}, {2}, {1}});
  merge_blocks(f);
  EXPECT_GE(f.blocks.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Jump>(f.blocks.back().terminator));
}

}  // namespace
}  // namespace dycl::program
